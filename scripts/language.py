#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""language.py [FILE_OR_DIRECTORY...]: checks the language of pages and of comments in sources; by default, of all pages.

Retired words (scripts/retired_words.txt) are errors. Sentences, list items and table cells that begin with What, Who,
Whatever and the like are errors in pages; in comments, five in 10,000 words are allowed. Sentences of pages below
docs/reference have at most 25 words. Code, links' targets and lines between `language: off` and `language: on` are skipped.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
HEADLESS = re.compile(r"(?:what(?:ever)?|who(?:ever)?|whose)\b(?!.*\?)", re.I)
GENERATED = {"docs/loader/compatibility.md", "docs/loader/programs.md"}
PAGES = ["docs", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "src", "loader",
         "bench", "bindings", "examples", "studies", "test"]
MOST_WORDS, MOST_HEADLESS = 25, 5

def blocks_of_page(text):
    """(line, text) of each paragraph, heading, list item and table cell."""
    text = re.sub(r"<!-- language: off -->.*?<!-- language: on -->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"    |\t", line) and not re.match(r"\s*([-*]|\d+\.) ", line):
            continue
        for cell in line.strip().strip("|").split("|") if line.startswith("|") else [line]:
            yield number, re.sub(r"^\s*(?:[-*>]|\d+\.)\s+", "", cell)  # headings keep their marks

def blocks_of_source(text, marks):
    """(line, text) of each comment; comments in consecutive lines are one."""
    found, block, begin, last = [], [], 0, -1
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(rf"\s*(?:{marks})\s?(.*?)(?:\*/)?\s*$", line)
        if comment and number != last + 1 and block:
            found.append((begin, " ".join(block)))
            block = []
        if comment:
            begin = begin if block else number
            block.append(comment[1])
            last = number
    return [*found, (begin, " ".join(block))] if block else found

def sentences(text):
    text = re.sub(r"`[^`]*`", "x", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "")
    text = re.sub(r"https?:\S+|\b(e\.g|i\.e|etc|al)\.", "x", text)
    return [part.strip() for part in re.split(r"(?<=[.!?:;])\s+", text) if part.strip()]

def check(path, retired):
    name = path.resolve().relative_to(SOURCE).as_posix() if path.resolve().is_relative_to(SOURCE) else str(path)
    text, page = path.read_text(errors="replace"), path.suffix == ".md"
    marks = r"#" if path.suffix in (".py", ".sh", ".txt", ".cmake") else r"///?<?|/\*\*?<?|\*(?!/)"
    said, headless, words = [], [], 0
    for line, block in blocks_of_page(text) if page else blocks_of_source(text, marks):
        for sentence in sentences(block):
            words += len(sentence.split())
            for pattern, instead in retired:
                if found := pattern.search(sentence):
                    said.append(f"{name}:{line}: '{found[0]}' is retired; write: {instead}")
            if HEADLESS.match(sentence):
                headless.append(f"{name}:{line}: begins with '{sentence.split()[0]}': {sentence[:60]}")
            if name.startswith("docs/reference/") and len(sentence.split()) > MOST_WORDS:
                said.append(f"{name}:{line}: {len(sentence.split())} words: {sentence[:60]}...")
    return said, headless, words, page

def main():
    retired = [(re.compile(line.split("\t")[0], re.I), line.rstrip("\n").split("\t")[1])
               for line in open(SOURCE / "scripts/retired_words.txt") if not line.startswith("#")]
    files = [file for given in map(pathlib.Path, sys.argv[1:] or [SOURCE / each for each in PAGES])
             for file in (sorted(given.rglob("*.md")) if given.is_dir() else [given])
             if not any(part.startswith(".") for part in file.relative_to(given).parts)]
    said, comments, comment_words = [], [], 0
    for file in files:
        if any(file.resolve() == (SOURCE / each).resolve() for each in GENERATED):
            continue
        wrong, headless, words, page = check(file, retired)
        said += wrong + (headless if page else [])
        comments += [] if page else headless
        comment_words += 0 if page else words
    if len(comments) * 10000 > MOST_HEADLESS * max(comment_words, 2000):
        said += comments
    print("\n".join(said) or f"language: clean, {len(files)} files")
    sys.exit(1 if said else 0)

main()
