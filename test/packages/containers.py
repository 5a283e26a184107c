#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""containers.py SOURCE SERVER: the Containerfiles install packages that there are, and start SERVER with options that it
has, as a user, with a health check that asks where it listens. packaging/container/check.sh builds and runs both, by hand."""

import json
import re
import subprocess
import sys
from pathlib import Path

source, server = Path(sys.argv[1]), sys.argv[2]
folder = source / "packaging/container"
control = (source / "packaging/debian/control").read_text()
ours = set(re.findall(r"^Package: (\S+)", control, re.MULTILINE))
for name in ("server", "try"):
    text = re.sub(r"\\\n\s*", " ", (folder / f"{name}.Containerfile").read_text())
    lines = dict(re.findall(r"^(\w+) (.*)$", text, re.MULTILINE))
    assert lines["ARG"] == "BASE=debian:bookworm-slim" and lines["FROM"] == "${BASE}", lines
    installed = re.search(r"install -y --no-install-recommends ([^;]*);", lines["RUN"])[1].split()
    sartors = {package for package in installed if "sartor" in package}
    assert sartors and sartors <= ours, sartors - ours
    assert lines["USER"] not in ("root", "0"), lines["USER"]
    command = json.loads(lines["CMD"])
    if name == "try":
        continue
    usage = subprocess.run([server, "--help"], capture_output=True, text=True, check=True).stdout
    options = [word for word in command if word.startswith("--")]
    assert options and all(re.search(rf"^ *{option}\b", usage, re.MULTILINE) for option in options), options
    values = dict(zip(command[1::2], command[2::2]))
    volumes = json.loads(lines["VOLUME"])
    assert values["--listen"].endswith(f":{lines['EXPOSE']}")
    assert all(value.startswith(tuple(volumes)) for value in values.values() if value.startswith("/"))
    check = lines["HEALTHCHECK"].partition("CMD ")[2]
    assert f"127.0.0.1/{values['--metrics']}" in json.loads(check)[2]
for script in ("context.sh", "check.sh"):
    subprocess.run(["bash", "-n", folder / script], check=True)
print("all is well")
