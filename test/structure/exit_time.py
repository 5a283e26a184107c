#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exit_time.py BUILD NM: no object of the libraries destroys something at exit, while other threads go on.

Threads of the runtime, and compiles that were given up, may run until the process has ended. A static object whose
destructor does anything is used after its end by then: write `static auto &name = *new Type; // never destroyed: …`.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
from ninja_record import united_sources  # noqa: E402

# What ends with its only thread, or lives in a process of its own.
LEFT_OUT = ("tools/", "remote/server/", "remote/http/", "compiler/plugin/")


def objects(build: Path) -> dict[str, Path]:
    """The objects of the libraries that are built, by their sources relative to src/. Several sources may share one."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        output = Path(entry["directory"], words[words.index("-o") + 1])
        if not output.is_relative_to(build / "src") or not output.exists():
            continue
        for file in united_sources(entry["file"]) or [entry["file"]]:
            _, below, source = file.rpartition("/src/")
            if below and not source.startswith(LEFT_OUT):
                found[source] = output
    return found


def main() -> int:
    build, nm = Path(sys.argv[1]).resolve(), sys.argv[2]
    found = objects(build)
    if not found:
        print("skipped: nothing of src/ is built")
        return 77
    wrong = 0
    for source, path in sorted(found.items()):
        symbols = subprocess.run([nm, "--undefined-only", path], capture_output=True, text=True, check=True).stdout
        if "__cxa_atexit" in symbols.split():
            print(f"src/{source}: a static object has a destructor that runs at exit")
            wrong += 1
    print(f"{len(found)} objects, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
