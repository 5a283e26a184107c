#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""constant_uses.py CLANG PLUGIN INCLUDE SARTOR WORK: constant addresses of watched fields are listed, and reads are not.

Of lost.c and lost.cpp, each line with a comment is guarded or listed; `net`: as a constant address. Of read.c and
read.cpp, nothing is listed.
"""

import json
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "constant_uses"


def report(tools, source, level):
    clang, plugin, include, sartor, work = tools
    made = Path(work) / f"{source.name}{level}.o"
    standard = "c++20" if source.suffix == ".cpp" else "gnu17"
    subprocess.run(
        [clang, f"-std={standard}", "-w", level, "-gline-tables-only", f"-I{include}", f"-fplugin={plugin}",
         f"-fpass-plugin={plugin}", "-c", source, "-o", made],
        check=True,
    )  # fmt: skip
    return json.loads(subprocess.run([sartor, "guards", "--json", made], check=True, capture_output=True).stdout)


def wrong(tools, source, level):
    found = report(tools, source, level)
    if source.stem == "read":
        for place in found["unproven"]:
            yield f"{place['file']}:{place['line']}: {place['field']} is listed: {place['reason']}"
        return
    listed = [place for place in found["unproven"] if place["file"] == str(source)]
    seen = {place["line"] for place in listed + found["guarded"]}
    by_net = {place["line"] for place in listed if place["reason"].startswith("constant address")}
    for number, line in enumerate(source.read_text(encoding="ascii").splitlines(), 1):
        for comment, lines in ("here", seen), ("net", by_net):
            if line.endswith(f"// {comment}") and number not in lines:
                yield f"{source}:{number}: is not listed ({comment}): {line}"


def main():
    tools = sys.argv[1:]
    Path(tools[-1]).mkdir(parents=True, exist_ok=True)
    problems = [
        f"{level}: {problem}"
        for source in sorted(SOURCES.iterdir())
        for level in ("-O0", "-O2")
        for problem in wrong(tools, source, level)
    ]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
