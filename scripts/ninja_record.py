# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Ninja has recorded of a build."""

import os
import re
import subprocess
from pathlib import Path


def recorded_headers(build: Path) -> dict[str, list[str]]:
    """The files that each object was compiled from. A dry run, so that the record of a running build is not rewritten."""
    said = subprocess.run(["ninja", "-C", str(build), "-n", "-t", "deps"], capture_output=True, text=True, check=True).stdout
    headers: dict[str, list[str]] = {}
    current: list[str] = []
    for line in said.splitlines():
        if line.startswith("    "):
            current.append(os.path.join(build, line.strip()))
        elif ": #deps " in line:
            current = headers.setdefault(line.split(": #deps ")[0], [])
    return headers


def united_sources(file: str) -> list[str]:
    """The sources that are compiled together as `file` (cmake/SartorUnity.cmake); none if it is a source itself."""
    if "/Unity/unity_" not in file:
        return []
    return re.findall(r'#include "(.*)"', Path(file).read_text())
