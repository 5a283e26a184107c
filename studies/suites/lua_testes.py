#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lua's own tests, by stock Lua and by Lua with Sartor: what they write, and how they end, must be the same.

    lua_testes.py BUILT TESTS [--short] [--seconds N] [FILE...]

BUILT is a build tree of the studies (build/studies/release), of which lua is used; TESTS is what scripts/lua-tests.sh fetches. Each
function is specialized at its first call, which waits until that is done. A case is a file of the tests, all of whose
assertions have to hold as well as with stock Lua, where they have to hold at all. Lines in which two runs of stock Lua
differ (times, addresses, random numbers) are not compared. A file that does not end within N seconds counts as a hang.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import suite

# In each file, the file itself skips tests that need Lua built with its own checks and an interface to its internals
# (`T`). `_soft` reduces tests that take minutes or much memory; all others are run.
SOFTLY = "_soft = true"

# Files that are not run, and the reason.
NOT_RUN = {
    "all.lua": "runs the other files, which are run one by one here",
    "heavy.lua": "asks for memory until there is none",
    "api.lua": "all of it needs T, the interface to Lua's insides",
    "code.lua": "all of it needs T, the interface to Lua's insides",
    "tracegc.lua": "has no tests: traces the collector for all.lua",
    "packtests": "packs the tests",
}

# How single files are run if not by `dofile`.
BIG = "local f = coroutine.wrap(assert(loadfile('big.lua'))) assert(f() == 'b' and f() == 'a')"
HOW = {"big.lua": ("_soft = false", BIG)}

# Assumptions that Lua in the study's build cannot satisfy, or only by chance: the file, its text, the replacement, the
# reason.
CHANGED = [
    (
        "main.lua",
        "assert(string.find(t, [[\n1 --",
        "assert(t or string.find(t, [[\n1 --",
        "one assertion is not held: lines are echoed by readline, which the study's Lua is built without",
    ),
    (
        "main.lua",
        """'%s -e "%s" & echo $!'""",
        """'(sleep 1; exec %s -e "%s") & echo $!'""",
        "two programs begin a second later: they may write before the shell does, whose line is read first",
    ),
]

# Known differences: the file, and the reason.
KNOWN: dict[str, str] = {}

SHORT = ["goto.lua", "vararg.lua"]


def prepare(tests: Path, luas: Path, work: Path) -> None:
    shutil.copytree(tests, work, dirs_exist_ok=True)
    subprocess.run(["make", "-s", "-B", f"LUA_DIR={luas / 'gcc'}"], cwd=work / "libs", check=True, capture_output=True)
    for name, old, new, _ in CHANGED:
        text = (work / name).read_bytes()
        if text.count(old.encode()) != 1:
            raise SystemExit(f"{name} is not the file that this script changes")
        (work / name).write_bytes(text.replace(old.encode(), new.encode()))


def run(lua: Path, name: str, work: Path, seconds: float, environment: dict[str, str]) -> suite.Ended:
    before, call = HOW.get(name, (SOFTLY, None))
    words = [lua, "-e", before, *(["-e", call] if call else [name])]
    ended = suite.run(words, work, seconds, environment)
    # Runs within the same second print the same time.
    ended.output = re.sub(rb"\d+/\d+/\d+, at \d+:\d+:\d+", b"(time)", ended.output.replace(str(lua).encode(), b"lua"))
    return ended


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("built", type=Path)
    arguments.add_argument("tests", type=Path)
    arguments.add_argument("--short", action="store_true")
    arguments.add_argument("--seconds", type=float, default=3600)
    arguments.add_argument("files", nargs="*")
    wanted = arguments.parse_intermixed_args()
    luas = wanted.built.resolve() / "lua"
    if not (wanted.tests / "all.lua").exists():
        return suite.skip(f"Lua's tests are not in {wanted.tests}: make study-sources fetches them")
    if not all((luas / kind / "lua").exists() for kind in ("gcc", "sartor")):
        return suite.skip(f"studies/lua is not built in {wanted.built}")

    report = suite.Report("lua")
    names = wanted.files or (SHORT if wanted.short else sorted(path.name for path in wanted.tests.glob("*.lua")))
    with tempfile.TemporaryDirectory() as folder:
        # The same path for all runs, because their output contains it.
        pristine, work, log = Path(folder) / "pristine", Path(folder) / "work", Path(folder) / "log"
        prepare(wanted.tests.resolve(), luas, pristine)

        def once(kind: str, name: str, environment: dict[str, str]) -> suite.Ended:
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(pristine, work)
            return run(luas / kind / "lua", name, work, wanted.seconds, environment)

        for name in names:
            if name in NOT_RUN and not wanted.files:
                report.not_run(name, NOT_RUN[name])
                continue
            ours = once("sartor", name, {"LUA_SARTOR": "heat=1,wait", "SARTOR_EVENT_LOG": str(log)})
            differs, stock = suite.compare(lambda: once("gcc", name, {}), ours)
            made = suite.Made()
            made.add(log, "lsartor_run")
            more = f"{ours.seconds:.0f} s by ours, {stock.seconds:.1f} s by stock, {ours.how}"
            if differs and name in KNOWN:
                report.part(name, 1, 0, made, f"but as is known: {KNOWN[name]}, {more}")
                continue
            report.part(name, 1, 1 if differs else 0, made, more)
            if differs:
                print(f"  {differs}")
            elif stock.how != "ended with 0":
                print(f"  stock Lua does not pass either: {suite.lines(stock)[-5:]}")
    if not wanted.short:
        for name, _, _, why in CHANGED:
            print(f"lua {name}: changed: {why}")
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
