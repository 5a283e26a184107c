#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QuickJS's own tests, by stock QuickJS and by QuickJS with Sartor: what they write, and how they end, must be the same.

    quickjs_tests.py BUILT SOURCE [--short] [--seconds N] [FILE...]

BUILT is a build tree of the studies (build/studies/release), of which quickjs is used; SOURCE is what scripts/quickjs.sh
fetches. Each function is specialized at its first call, which waits until that is done. A case is a file of SOURCE/tests,
without those that its tests.conf excludes. A call in which a variant and the native code differ ends the program. Lines in
which two runs of stock QuickJS differ (times, random numbers) are not compared.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import suite

OURS = {"QUICKJS_SARTOR": "heat=0,wait", "SARTOR_ABORT_ON_DIFFERENCE": "on"}
SHORT = ["bug39/1.js", "bug648.js", "test_queue_microtask.js"]


def files_of(source: Path) -> list[str]:
    """The files that QuickJS's `make test` runs, relative to its tests."""
    config = (source / "tests.conf").read_text()
    excluded = {line.strip() for line in config.partition("[exclude]")[2].splitlines()}
    tests = source / "tests"
    names = sorted(str(path.relative_to(tests)) for path in tests.rglob("*.js"))
    return [name for name in names if f"tests/{name}" not in excluded]


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("built", type=Path)
    arguments.add_argument("source", type=Path)
    arguments.add_argument("--short", action="store_true")
    arguments.add_argument("--seconds", type=float, default=1800)
    arguments.add_argument("files", nargs="*")
    wanted = arguments.parse_intermixed_args()
    programs = {kind: wanted.built.resolve() / "quickjs" / kind / "qjs" for kind in ("gcc", "sartor")}
    if not (wanted.source / "tests.conf").exists():
        return suite.skip(f"QuickJS's tests are not in {wanted.source}: make study-sources fetches them")
    if not all(program.exists() for program in programs.values()):
        return suite.skip(f"studies/quickjs is not built in {wanted.built}")

    report = suite.Report("quickjs")
    with tempfile.TemporaryDirectory() as folder:
        work, log = Path(folder) / "tests", Path(folder) / "log"

        def once(kind: str, name: str, environment: dict[str, str]) -> suite.Ended:
            # The same path for all runs, because their output contains it.
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(wanted.source / "tests", work)
            words = [programs[kind], "--std", name]
            return suite.run(words, work, wanted.seconds, environment)

        for name in wanted.files or (SHORT if wanted.short else files_of(wanted.source)):
            ours = once("sartor", name, OURS | {"SARTOR_EVENT_LOG": str(log)})
            differs, stock = suite.compare(lambda: once("gcc", name, {}), ours)
            made = suite.Made()
            made.add(log, "qsartor_run")
            more = f"{ours.seconds:.0f} s by ours, {stock.seconds:.1f} s by stock, {ours.how}"
            report.part(name, 1, 1 if differs else 0, made, more)
            if differs:
                print(f"  {differs}", flush=True)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
