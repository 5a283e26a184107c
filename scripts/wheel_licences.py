#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wheel_licences.py WHEEL LIBRARY...: puts Sartor's licence, and those of the Debian packages that the libraries which
LIBRARY... need come from, into a wheel that is to be repaired (which writes its list of files anew)."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

# Libraries that a wheel expects on the machine.
LEFT_OUT = re.compile(r"(ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z|sartor))[-.]")


def needed(library: str) -> list[str]:
    lines = subprocess.run(["ldd", library], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    paths = [fields[2] for line in lines if len(fields := line.split()) > 3 and fields[2].startswith("/")]
    return [path for path in paths if not LEFT_OUT.match(os.path.basename(path))]


def package_of(path: str) -> str:
    name = os.path.basename(os.path.realpath(path))  # Debian lists some files in /lib that are in /usr/lib
    found = subprocess.run(["dpkg-query", "-S", f"*/{name}"], check=True, stdout=subprocess.PIPE, text=True)
    return found.stdout.split(":")[0]


def main() -> None:
    wheel, *libraries = sys.argv[1:]
    licences = {"sartor": Path(__file__).resolve().parent.parent / "LICENSE"}
    for path in {path for library in libraries for path in needed(library)}:
        package = package_of(path)
        licences[package] = Path("/usr/share/doc") / package / "copyright"
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        for package, text in sorted(licences.items()):
            archive.writestr(f"{os.path.dirname(record)}/licenses/{package}.txt", text.read_bytes())


if __name__ == "__main__":
    main()
