#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reference.py OUTDIR [--commands DIR]: writes the generated pages of the reference.

OUTDIR/cpp.md and OUTDIR/c.md come from the doc comments of include/sartor. OUTDIR/commands.md comes from
--help of the commands in DIR (default: build/release/bin); where DIR has no commands, the page says so.
"""

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
CPP = ["runtime.hpp", "options.hpp", "handler.hpp", "configuration.hpp", "value.hpp", "space.hpp", "constraints.hpp",
       "variant_info.hpp", "metrics.hpp", "fold_report.hpp", "remark.hpp", "error.hpp", "binding.hpp", "bound_argument.hpp",
       "invariant.hpp", "quasi_invariant.hpp", "economy.hpp", "profile.hpp", "guest_programs.hpp", "explorer.hpp",
       "objective.hpp", "histogram.hpp", "strategy.hpp", "strategies.hpp", "race.hpp", "search_space.hpp",
       "fleet.hpp", "generator.hpp", "bpf/runtime.hpp"]
C = ["c/sartor.h", "c/error.h", "c/customize.h", "c/json.h", "c/explorer.h", "c/search_space.h", "c/generator.h", "guest_program.h",
     "c/guest_programs.h", "bpf/bpf.h", "bpf/object.h", "device/device.h", "loader/pass.h"]
HIDDEN_SCOPES = {"detail", "invariant"}
COMMANDS = ["sartor", "sartor-server", "sartor-ld"]


@dataclasses.dataclass
class Entity:
    """A declaration, its comment, and, of a type, its public members."""
    text: str
    comment: str
    members: list = dataclasses.field(default_factory=list)
    is_type: bool = False


def tokens(text):
    """(kind, text) of comments, literals and single characters; preprocessor lines are left out."""
    pattern = re.compile(r"/\*\*<.*?\*/|/\*\*.*?\*/|/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|(?<![0-9a-zA-Z])'(?:\\.|[^'\\])'"
                         r"|^[ \t]*#(?:\\\n|[^\n])*|.", re.S | re.M)
    for match in pattern.finditer(text):
        part = match[0]
        if part.startswith(("/**<", "///<")):
            yield "after", part
        elif part.startswith(("/**", "///")):
            yield "before", part
        elif part.startswith(("//", "/*")):
            yield "other", part
        elif not part.lstrip().startswith("#"):
            yield "code", part


def words(comment):
    """The text of a doc comment, without its marks."""
    comment = re.sub(r"^/\*\*<?|\*/$", "", comment.strip())
    lines = [re.sub(r"^\s*(?:///<?|\*)? {0,2}", "", line) for line in comment.splitlines()]
    return "\n".join(line.rstrip() for line in lines if line.strip() != "\\file").strip()


def shown(text):
    """A declaration in one line, without its body or the initialisers of a constructor."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"^(?:\[\[[^\]]*\]\] |inline |explicit )*", "", text)
    text = re.sub(r"(\)(?: const)?(?: noexcept)?) : .*$", r"\1", text)
    return re.sub(r"\(\s+", "(", re.sub(r"^(template <[^>]*(?:<[^>]*>)?[^>]*>) \[\[[^\]]*\]\]", r"\1", text))


class Parser:
    """Splits a header into declarations; understands as much of C and C++ as the public headers need."""

    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0

    def skip_braces(self):
        depth = 1
        while depth:
            kind, text = self.tokens[self.at]
            self.at += 1
            if kind == "code":
                depth += {"{": 1, "}": -1}.get(text, 0)

    def scope(self, public=True, enum=False):
        """Declarations up to the closing brace."""
        found, comment, text, depth = [], "", "", 0

        def end():
            nonlocal comment, text
            if public and text.strip():
                found.append(Entity(shown(text), comment))
            comment, text = "", ""

        while self.at < len(self.tokens):
            kind, part = self.tokens[self.at]
            self.at += 1
            if kind == "before":
                comment = f"{comment}\n{words(part)}".strip() if not text.strip() else comment
            elif kind == "after":
                if text.strip() and enum:
                    comment = f"{comment} {words(part)}".strip()
                elif found and public:
                    found[-1].comment = f"{found[-1].comment} {words(part)}".strip()
            elif kind == "other":
                comment = "" if not text.strip() else comment
            elif depth == 0 and part == ":" and text.strip() in ("public", "private", "protected"):
                public, comment, text = text.strip() == "public", "", ""
            elif part in "([":
                depth, text = depth + 1, text + part
            elif part in ")]":
                depth, text = depth - 1, text + part
            elif depth == 0 and (part == ";" or (enum and part == ",")):
                end()
            elif part == "{" and depth == 0:
                head = re.sub(r"\s+", " ", text).strip()
                space = re.search(r"\bnamespace (\w+)$|\bextern \"C\"$", head)
                kind_of = re.search(r"\b(class|struct|union|enum)\b[^()=]*$", head)
                if space:
                    inner = self.scope()
                    if space[1] not in HIDDEN_SCOPES and not (space[1] or "").endswith("_"):
                        found += inner
                    comment, text = "", ""
                elif kind_of:
                    outer = comment
                    inner = self.scope(kind_of[1] != "class", kind_of[1] == "enum")
                    if public:
                        found.append(Entity(shown(head), outer, inner, True))
                    comment, text = "", ""
                    name = ""
                    while self.at < len(self.tokens) and self.tokens[self.at][1] != ";":
                        name += self.tokens[self.at][1] if self.tokens[self.at][0] == "code" else ""
                        self.at += 1
                    self.at += 1
                    if public and name.strip():
                        found[-1].text = shown(f"{head} {name}")
                elif "(" in head and not re.search(r"[=\w>] ?$", head.replace(" const", "").replace(" noexcept", "")):
                    self.skip_braces()
                    end()
                else:
                    begin = self.at
                    self.skip_braces()
                    text += "{" + "".join(t for k, t in self.tokens[begin:self.at] if k == "code")
            elif part == "}" and depth == 0:
                if enum:
                    end()
                return found
            else:
                text += part
        return found


def name_of(text):
    """The name that a heading gets."""
    text = re.sub(r"^template <(?:[^<>]|<[^<>]*>)*> ?(?:requires ?\(.*?\) (?=\w+ ))?", "", text)
    text = re.sub(r"^((?:class|struct) [\w:]+)<.*", r"\1", text)
    text = re.sub(r"^using (\w+) =.*", r"\1", text)
    while "operator" not in text and re.search(r"<[^<>]*>", text):
        text = re.sub(r"<[^<>]*>", "", text)
    text = re.sub(r" = .*", "", text) if "operator" not in text else text
    for pattern in (r"typedef .*\(\*(\w+)\)",                       # a pointer to functions
                    r"(?:class|struct|union|enum)(?: class)? (?:\[\[\w+\]\] )?(?:\w+ )?([\w:]+)(?: final)?(?: ?:.*)?$",
                    r"typedef .*?(\w+)(?:\[\w*\])?$",
                    r"[^(]*\(\*(\w+)\(",                            # a function that returns one
                    r"[^(]*?([\w:~]+|operator[^\w\s(]+)\s*\(",      # a function
                    r".*?(\w+)\s*(?:\[[^\]]*\])?\s*(?:=.*|\{.*)?$"):
        match = re.match(pattern, text)
        if match:
            return match[1]
    return text


def is_public(entity):
    name = name_of(entity.text)
    return not (name.endswith("_") or entity.text.startswith(("friend ", "static_assert", "using namespace"))
                or re.match(r"(class|struct|enum) \w+$", entity.text) and not entity.is_type
                or name == "Impl" or "= delete" in entity.text or name.startswith("__"))


def paragraph(comment):
    return re.sub(r"(?<![\w`])<(?=\w)", "&lt;", comment)


def render(entity, lines, language):
    lines += [f"### {name_of(entity.text)}", "", f"```{language}", entity.text, "```", ""]
    if entity.comment:
        lines += [paragraph(entity.comment), ""]
    for member in filter(is_public, entity.members):
        names = [name_of(each.text) for each in filter(is_public, member.members)]
        lines.append(f"- `{member.text}`" + (": " + ", ".join(f"`{name}`" for name in names) if names else ""))
        if not member.comment:
            continue
        text = ["    " + line if line else "" for line in paragraph(member.comment).splitlines()]
        if re.search(r"^$|^    ([-*]|\d+\.) ", "\n".join(text), re.M):
            lines += ["", *text, ""]  # several paragraphs
        else:
            lines[-1] += "  "  # a line break
            lines += text
    if entity.members:
        lines.append("")


def opening(text):
    """The comment about the header as a whole: a doc comment that a preprocessor line follows."""
    match = re.search(r"/\*\*(?:[^*]|\*(?!/))*\*/|(?:^///[^\n]*\n)+", text, re.M)
    return match[0] if match and text[match.end():].lstrip().startswith("#") else None


def page(title, introduction, headers, language):
    lines = [f"# {title}", "", introduction, ""]
    for header in headers:
        include = f"sartor/{header}"
        text = (SOURCE / "include" / include).read_text()
        lines += [f"## <{include}>".replace("<", "&lt;").replace(">", "&gt;"), ""]
        about = opening(text)
        if about:
            lines += [paragraph(words(about)), ""]
            text = text.replace(about, "", 1)
        for entity in filter(is_public, Parser(text).scope()):
            render(entity, lines, language)
        for macro in re.finditer(r"(/\*\*(?:[^*]|\*(?!/))*\*/\n)?^#define (\w+(?:\([^)]*\))?)", text, re.M):
            name = macro[2]
            if not re.search(r"_H(PP)?$|_\W|_$", name) and f"### {name}" not in lines:
                lines += [f"### {name}", "", *([paragraph(words(macro[1])), ""] if macro[1] else [])]
    return "\n".join(lines).rstrip() + "\n"


def help_of(command, *words_):
    output = subprocess.run([str(command), *words_, "--help"], capture_output=True, text=True, check=True)
    text = (output.stdout + output.stderr).replace(str(command.parent.parent), "PREFIX")
    return re.sub(r"[ \t]+\n", "\n", text).strip()


def subcommands(text):
    block = re.search(r"^Subcommands:\n((?:  .*\n?)+)", text, re.M)
    return re.findall(r"^  (\w+)", block[1], re.M) if block else []


def commands(folder):
    lines = ["# Commands", "", "Each section is the output of `--help` of one command or subcommand.", ""]
    present = [folder / name for name in COMMANDS if (folder / name).exists()]
    if not present:
        lines.append(f"This site was built without the commands. Build Sartor and run `sartor --help`.")
        print(f"reference.py: no commands in {folder}", file=sys.stderr)

    def section(command, *path):
        text = help_of(command, *path)
        lines.extend([f"{'##' if not path else '###'} {' '.join([command.name, *path])}", "", "```text", text, "```", ""])
        for each in subcommands(text):
            section(command, *path, each)

    for command in present:
        section(command)
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--commands", type=pathlib.Path, default=SOURCE / "build/release/bin")
    given = parser.parse_args()
    given.outdir.mkdir(parents=True, exist_ok=True)
    (given.outdir / "cpp.md").write_text(page(
        "C++ API", "Include `<sartor/sartor.hpp>`. This page is generated from the headers' comments. "
        "[C coverage](c_coverage.md) lists the C counterpart of each name.", CPP, "cpp"))
    (given.outdir / "c.md").write_text(page(
        "C API", "This page is generated from the headers' comments. Functions return `SARTOR_OK` or "
        "the number of an [error](errors.md). [C coverage](c_coverage.md) lists the C++ counterparts.", C, "c"))
    (given.outdir / "commands.md").write_text(commands(given.commands.resolve()))


if __name__ == "__main__":
    main()
