#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bill_of_materials.py STAGE: compares the installed bill of materials with the installed libraries and programs."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

LLVM = os.environ.get("SARTOR_LLVM", "22")  # the major version that Sartor is built with
# Packages whose headers these files include.
HEADERS_OF = {"libsartor.so": "nlohmann-json3-dev", "sartor": "libcli11-dev", "sartor-server": "libasio-dev",
              "SartorPlugin.so": f"llvm-{LLVM}-dev"}


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@functools.cache
def package_of(soname: str) -> str:
    path = next(match[1] for match in re.finditer(r"=> (\S+)", output_of("/sbin/ldconfig", "-p"))
                if Path(match[1]).name == soname)
    real = Path(path).resolve()
    for spelling in [real, Path(str(real).removeprefix("/usr")), Path(path)]:
        if owner := output_of("dpkg-query", "-S", str(spelling)).split(":")[0]:
            return owner
    raise SystemExit(f"no package has {path}")


def main() -> None:
    stage = Path(sys.argv[1])
    bill = json.loads((stage / "share/doc/Sartor/sartor.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    components = {each["bom-ref"]: each for each in bill["components"]}
    assert len(components) == len(bill["components"]), "a reference is not unique"
    needs = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    names = {reference: {components[each]["name"] for each in used} for reference, used in needs.items()}
    if not shutil.which("dpkg-query"):
        print("SKIPPED: needs dpkg-query")
        sys.exit(77)

    checked = 0
    for file in sorted(each for each in stage.rglob("*") if each.is_file() and not each.is_symlink()):
        with file.open("rb") as content:
            if content.read(4) != b"\x7fELF":
                continue
        used = names.get(f"sartor:{file.name}", names.get(f"sartor:{file.parent.name}/{file.name}"))
        assert used is not None, f"{file} is not in the bill"
        for soname in re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", str(file))):
            if not soname.startswith("libsartor"):
                assert package_of(soname) in used, f"{file} needs {soname}, which its entry does not have"
        for start, header in HEADERS_OF.items():
            if file.name == start or file.name.startswith(start + "."):
                assert header in used, f"{file} includes {header}, which its entry does not have"
        checked += 1
    assert checked > 10, checked
    page = stage / "share/sartor/page.html"
    if page.exists():
        bundled = names["sartor:page.html"]
        assert bundled, "the page is made of nothing"
        text = page.read_text().lower()
        assert all(each in text for each in bundled), f"the page does not name what it has of others: {bundled}"
    for package in components.values():
        if not package["bom-ref"].startswith("sartor:"):
            assert package["version"] and package["purl"], package
    print(f"{checked} files, {len(components) - checked} packages")


if __name__ == "__main__":
    main()
