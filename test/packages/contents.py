#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""contents.py SOURCE STAGE: each program, header and file of data that is installed in STAGE is in exactly one of the
Debian packages, since two with the same file cannot be installed. Manual pages and the book have lists of their own."""

import fnmatch
import sys
from collections import defaultdict
from pathlib import Path

source, stage = Path(sys.argv[1]), Path(sys.argv[2])
patterns = defaultdict(list)
for listed in (source / "packaging/debian").glob("*.install"):
    for line in listed.read_text().splitlines():
        patterns[listed.stem].append(line.split()[0])


def matches(path: Path, pattern: str) -> bool:
    """True if the list has the file or a folder above it. `*` is no slash."""
    names, parts = ("usr", *path.parts), pattern.split("/")
    return len(names) >= len(parts) and all(map(fnmatch.fnmatchcase, names, parts))


files = [path.relative_to(stage) for folder in ("bin", "include", "share") for path in (stage / folder).rglob("*") if not path.is_dir()]
files = [path for path in files if path.parts[:2] not in (("share", "doc"), ("share", "man"))]
assert len(files) > 100, len(files)
wrong = 0
for path in files:
    packages = sorted(package for package in patterns if any(matches(path, pattern) for pattern in patterns[package]))
    if len(packages) != 1:
        wrong += 1
        print(f"usr/{path} is in {' and '.join(packages) or 'no package'}")
print(f"{len(files)} files")
sys.exit(1 if wrong else 0)
