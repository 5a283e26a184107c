#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PCRE2's own tests, pattern by pattern, by stock PCRE2 and by PCRE2 with Sartor: pcre2test must write the same.

    pcre2_testdata.py BUILT TESTDATA [--every K] [--first N] [--short] [--seconds N] [FILE...]

BUILT is a build tree of the studies (build/studies/release), of which regex is used: of stock PCRE2 the build that has no JIT.
TESTDATA is the folder of PCRE2's source; FILE is 1 for testinput1, and so on. Each pattern is specialized at its first
match, which waits until that is done. A case is a pattern with its subjects: every K-th of a file, at most N. Patterns
are tried 25 at a time. Where these differ, or do not end within 25 times N seconds, they are tried one by one, which
reports the patterns that differ.
"""

from __future__ import annotations

import argparse
import itertools
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import suite

HOW = "heat=1,wait,patterns=100000"
TOGETHER = 25

# Files whose patterns are matched by pcre2_match() in 8 bits.
APPLY = [1, 2, 4, 5, 8, 9, 10, 15, 16, 18, 19, 20, 21, 22, 24, 25, 26]

NOT_RUN = {
    3: "needs a French locale, which the machine need not have",
    6: "matches by pcre2_dfa_match(), which is not specialized",
    7: "matches by pcre2_dfa_match(), which is not specialized",
    11: "is for 16 and 32 bits, and the study is 8 bits",
    12: "is for 16 and 32 bits, and the study is 8 bits",
    13: "is for 16 and 32 bits, and the study is 8 bits",
    14: "is for 16 and 32 bits, and the study is 8 bits",
    17: "matches by PCRE2's own JIT, which is not in the study's build",
    23: "is for builds that refuse \\C, and the study's has it",
}

# Known differences: the pattern's first line, and the reason. Patterns that begin with a letter in two cases (/abc/i,
# /[aA]bc/) take three times as long to specialize as others, and stay interpreted.
KNOWN: dict[str, str] = {}

WHOLE = {20}  # a pattern uses the result of another one


@dataclass
class Piece:
    """A pattern with its subjects, and the commands that hold there."""

    text: bytes
    commands: bytes

    @property
    def name(self) -> str:
        return self.text.split(b"\n", 1)[0].decode(errors="backslashreplace")


def closed(pattern: bytes) -> bool:
    """Whether the delimiter that a pattern begins with comes again."""
    return re.search(rb"(?<!\\)(?:\\\\)*" + re.escape(pattern[:1]), pattern[1:]) is not None


def split(text: bytes) -> list[Piece]:
    """A pattern may have many lines; its subjects go on until an empty one. Lines with `#` and a letter are commands,
    which hold from there on."""
    pieces, commands, lines = [], b"", iter(text.split(b"\n"))
    for line in lines:
        if line.startswith(b"#"):
            commands += line + b"\n" if line[1:2].isalpha() else b""
            continue
        if not line.strip():
            continue
        while not closed(line.lstrip()) and (more := next(lines, None)) is not None:
            line += b"\n" + more
        subjects = list(itertools.takewhile(bytes.strip, lines))
        pieces.append(Piece(b"\n".join([line, *subjects]) + b"\n\n", commands))
    return pieces


class Suite:
    def __init__(self, built: Path, work: Path, seconds: float) -> None:
        self.regex, self.work, self.seconds = built / "regex", work, seconds
        self.log = work / "log"
        self.made = suite.Made()
        self.took = 0.0

    def once(self, kind: str, text: bytes, seconds: float) -> bytes:
        (self.work / "input").write_bytes(text)
        (self.work / "output").unlink(missing_ok=True)
        environment = {"PCRE2_SARTOR": HOW, "SARTOR_EVENT_LOG": str(self.log)} if kind == "sartor" else {}
        program = self.regex / kind / "pcre2test"
        ended = suite.run([program, "-q", "input", "output"], self.work, seconds, environment)
        output = self.work / "output"
        wrote = output.read_bytes() if output.exists() else b""
        if kind == "sartor":
            self.made.add(self.log, "psartor_search")
            self.took += ended.seconds
        return wrote + ended.output + ended.how.encode()

    def difference(self, pieces: list[Piece]) -> str | None:
        text, commands = b"", b""
        for piece in pieces:
            # All new ones since the last pattern; the first pattern has those from the file's beginning.
            text += piece.commands[len(commands) :] + piece.text
            commands = piece.commands
        stock, ours = (self.once(kind, text, self.seconds * len(pieces)) for kind in ("clang", "sartor"))
        if stock == ours:
            return None
        one, other = (wrote.decode(errors="backslashreplace").split("\n") for wrote in (stock, ours))
        return suite.first_difference(one, other)

    def part(self, file: int, pieces: list[Piece], report: suite.Report) -> None:
        self.made, self.took = suite.Made(), 0.0
        reported, known = [], 0
        size = len(pieces) if file in WHOLE else TOGETHER
        for begin in range(0, len(pieces), size):
            some = pieces[begin : begin + size]
            together = self.difference(some)
            if together is None:
                continue
            alone = [(piece, self.difference([piece])) for piece in some if file not in WHOLE]
            found = [(piece.name, what) for piece, what in alone if what]
            known += sum(name in KNOWN for name, _ in found)
            if not found:  # only one after the other
                found = [(f"{some[0].name} to {some[-1].name}", together)]
            reported += [(name, what) for name, what in found if name not in KNOWN]
        more = f"{known} as is known, " if known else ""
        more += f"{self.took:.0f} s by ours"
        report.part(f"testinput{file}", len(pieces), len(reported), self.made, more)
        for name, what in reported:
            print(f"  {name}\n  {what}")


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("built", type=Path)
    arguments.add_argument("testdata", type=Path)
    arguments.add_argument("--every", type=int, default=1)
    arguments.add_argument("--first", type=int)
    arguments.add_argument("--short", action="store_true")
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("files", type=int, nargs="*")
    wanted = arguments.parse_intermixed_args()
    built, data = wanted.built.resolve(), wanted.testdata.resolve()
    if not (data / "testinput1").exists():
        return suite.skip(f"PCRE2's tests are not in {wanted.testdata}: make study-sources fetches them")
    if not all((built / "regex" / kind / "pcre2test").exists() for kind in ("clang", "sartor")):
        return suite.skip(f"studies/regex is not built in {wanted.built}")

    report = suite.Report("pcre2")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(data / "testbtables", folder)
        tests = Suite(built, Path(folder), wanted.seconds)
        for file in wanted.files or ([1] if wanted.short else APPLY):
            pieces = split((data / f"testinput{file}").read_bytes())
            some = pieces[::60][:7] if wanted.short else pieces[:: wanted.every][: wanted.first]
            tests.part(file, some, report)
    if not wanted.short and not wanted.files:
        for file, why in NOT_RUN.items():
            report.not_run(f"testinput{file}", why)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
