#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""messages.py SOURCE [--try]: the form of error messages in the sources of the library, the tools and the loader.

An error is read as `code: "subject": message (remedy)`. The message continues the subject: it begins with a small letter
and has no period at its end. The remedy is an imperative, after what goes on (`the generic code goes on; install it`), or
what goes on alone where the user can do nothing. Literals are read that follow an ErrorCode as its third and fourth value.
Texts of several words in sources must not have the retired words of scripts/retired_words.txt. With --try, the checks
must find mistakes.
"""

import pathlib
import re
import sys

TEXT = re.compile(r'"((?:\\.|[^"\\])*)"')
GOES_ON = re.compile(r"(?:the (?:active \w+ stays?( active)?|active variants stay active|generic code goes on|replica goes on alone[^;]*"
                     r"|stock loader starts (?:it|programs) as before|file is as it was|code is compiled (?:here|again)[^;]*)"
                     r"|it is loaded as the stock loader would|its data stays where the file has it"
                     r"|Sartor goes on without it[^;]*)(?:; |$)")
FOLDERS = ["src", "loader", "include", "bindings/python/src", "bindings/rust", "bindings/sidecar/sartor_sidecar"]
SOURCES = {".c", ".h", ".cpp", ".hpp", ".rs", ".py", ".ts", ".tsx"}
NO_IMPERATIVE = {"a", "an", "the", "it", "its", "this", "that", "these", "there", "if", "of", "no", "you", "your", "please", "one"}


def values(text, begin):
    """The values of a list that begins at `begin`, up to its closing brace or parenthesis."""
    found, depth, last, at = [], 0, begin, begin
    while at < len(text):
        if literal := TEXT.match(text, at) or re.compile(r"'(?:\\.|[^'\\])'").match(text, at):
            at = literal.end()
            continue
        if text[at] in "({[":
            depth += 1
        elif text[at] in ")}]":
            depth -= 1
        if depth < 0 or (depth == 0 and text[at] == ","):
            found.append(text[last:at].strip())
            last = at + 1
        if depth < 0:
            break
        at += 1
    return found


def mistakes(text):
    """(line, mistake) of each error in a source; the number of errors that were read."""
    found, read = [], 0
    for code in re.finditer(r"ErrorCode::\w+\s*,", text):
        parts = values(text, code.end())
        if len(parts) != 3:
            continue
        read += 1
        line = text.count("\n", 0, code.start()) + 1
        message, remedy = (TEXT.match(part) for part in parts[1:])
        if message and re.match(r"[A-Z][a-z]+ (?!is|has|does|knows|would)", message[1]):
            found.append((line, f'the message begins with a capital: "{message[1]}"'))
        for part in parts[1:]:
            if (last := TEXT.findall(part)) and part.endswith('"') and re.search(r"(?<!\.)\.$", last[-1]):
                found.append((line, f'a period at the end: "{last[-1]}"'))
        if remedy and remedy[1]:
            rest = GOES_ON.sub("", remedy[1])
            word = rest.split(" ")[0]
            if rest and (word in NO_IMPERATIVE or not re.match(r"[a-z][a-z-]*[,;:]?$", word)):
                found.append((line, f'the remedy is no imperative: "{remedy[1]}"'))
    return found, read


def retired_words(text, retired):
    """(line, mistake) of each retired word in a text of a source."""
    return [(number, f"'{word[0]}' is retired; write: {instead}")
            for number, line in enumerate(text.splitlines(), 1) if not line.lstrip().startswith(("//", "*", "#include"))
            for literal in TEXT.findall(line) if " " in literal
            for pattern, instead in retired if (word := pattern.search(literal))]


def main():
    source = pathlib.Path(sys.argv[1])
    rows = [line.rstrip("\n").split("\t") for line in open(source / "scripts/retired_words.txt") if not line.startswith("#")]
    retired = [(re.compile(row[0], re.I), row[1]) for row in rows]
    if sys.argv[2:] == ["--try"]:
        wrong = ['"Cannot be read", "give it"', '"is wrong.", "give it"', '"is wrong", "it is wrong"',
                 '"is wrong", "the generic code goes on; the file"', '"is wrong", "Give it"']
        right = ['"is wrong", "the generic code goes on; give it"', '"is wrong: (, x", "give it"', '"is wrong", "the generic code goes on"']
        for each, count in [*((each, 1) for each in wrong), *((each, 0) for each in right)]:
            if len(mistakes("Failure{ErrorCode::bad_json, name(1, 2), " + each + "}")[0]) != count:
                sys.exit(f"read wrongly: {each}")
        if len(retired_words('give("nobody knows"); // nobody\n// "nobody knows"', retired)) != 1:
            sys.exit("retired words are read wrongly")
        print("all is well")
        return
    said, read = [], 0
    for path in sorted(path for folder in FOLDERS for path in (source / folder).rglob("*") if path.suffix in SOURCES):
        text = path.read_text()
        found, errors = mistakes(text) if path.suffix == ".cpp" else ([], 0)
        found += retired_words(text, retired)
        said += [f"{path.relative_to(source)}:{line}: {mistake}" for line, mistake in found]
        read += errors
    if read < 300:
        said.append(f"only {read} errors were read: this script does not know their form any more")
    sys.exit("\n".join(said)) if said else print(f"all is well: {read} errors")


main()
