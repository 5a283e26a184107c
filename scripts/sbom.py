#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sbom.py BUILD VERSION OUTPUT FILE...: writes the software bill of materials of the built FILEs: CycloneDX 1.5, JSON.

FILEs are the libraries and programs that are installed. What they are made of is read from what the build has recorded
and from the files themselves, not from a list: the headers that their objects include, the archives that are linked in,
and the shared libraries that they need. Each is named by the Debian package that it comes from; on a machine without
dpkg, by its file. BUILD is a build tree of Ninja. The result is the same for the same sources and packages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from ninja_record import recorded_headers

ROOT = Path(os.path.abspath(__file__)).parent.parent
HEADER, ARCHIVE, LIBRARY = "header", "static library", "shared library"
AT_ONCE = 500  # paths in a call of dpkg


@dataclass(frozen=True, order=True)
class Package:
    name: str
    version: str = ""
    architecture: str = ""

    @property
    def reference(self) -> str:
        if not self.version:
            return f"file:{self.name}"
        return f"pkg:deb/debian/{self.name}@{self.version}?arch={self.architecture}"


@dataclass
class Artifact:
    """A built file, and the files of other projects in it, by how it has them."""

    path: Path
    uses: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def output_of(*command: str, may_fail: bool = False) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=not may_fail).stdout


def linked_into(build: Path, file: str) -> set[str]:
    """The objects of a built file and of its static libraries, and the static libraries."""
    command = output_of("ninja", "-C", str(build), "-t", "commands", "-s", file, may_fail=True)
    given = {word for word in command.replace("'", " ").replace('"', " ").split() if word.endswith((".o", ".a"))} - {file}
    return given.union(*(linked_into(build, each) for each in given if each.endswith(".a") and not os.path.isabs(each)))


def needed_by(file: Path) -> list[str]:
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", str(file), may_fail=True))


def shared_libraries() -> dict[str, str]:
    ldconfig = shutil.which("ldconfig", path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin")
    lines = output_of(ldconfig, "-p").splitlines() if ldconfig else []
    found = (re.match(r"\s*(\S+) \(.*x86-64.*\) => (\S+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def examine(build: Path, files: list[Path]) -> list[Artifact]:
    headers, libraries = recorded_headers(build), shared_libraries()
    own = (f"{build}/", f"{ROOT}/")
    built = [file.name for file in files]
    artifacts = []
    for file in files:
        inputs = linked_into(build, os.path.relpath(file, build))
        included = set().union(*(headers.get(each, []) for each in inputs))
        for precompiled in [each for each in included if each.endswith(".pch")]:
            included.update(headers.get(os.path.relpath(precompiled, build), []))
        found = {HEADER: {os.path.normpath(each) for each in included},
                 ARCHIVE: {os.path.normpath(build / each) for each in inputs if each.endswith(".a")},
                 LIBRARY: set()}
        for soname in needed_by(file):
            if soname in libraries:
                found[LIBRARY].add(libraries[soname])
            elif not any(name.startswith(soname) for name in built):
                raise SystemExit(f"sbom.py: {file.name} needs {soname}, which is neither built nor installed")
        artifact = Artifact(file)
        for how, paths in found.items():
            for path in paths:
                if not path.startswith(own):
                    artifact.uses[os.path.realpath(path)].add(how)
        artifacts.append(artifact)
    return artifacts


def spellings(path: str) -> list[str]:
    """A path as dpkg may know it: /lib and /usr/lib are one directory."""
    merged = re.match(r"/usr(/(?:lib|lib64|bin|sbin)/.*)", path)
    return [path, merged[1]] if merged else [path]


def packages_of(paths: set[str]) -> dict[str, Package]:
    if not shutil.which("dpkg-query"):
        return {}
    asked = {spelling: path for path in paths for spelling in spellings(path)}
    owners: dict[str, str] = {}
    names = sorted(asked)
    for begin in range(0, len(names), AT_ONCE):
        for line in output_of("dpkg-query", "-S", *names[begin:begin + AT_ONCE], may_fail=True).splitlines():
            owner, _, path = line.partition(": ")
            if path in asked and "diversion" not in owner:
                owners[asked[path]] = owner.split(",")[0].split(":")[0]
    lines = output_of("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}\n", *sorted(set(owners.values())))
    known = {line.split()[0]: Package(*line.split()) for line in lines.splitlines()}
    return {path: known[owner] for path, owner in owners.items()}


def licence_of(package: Package) -> str:
    """What the package's copyright file says of most of its files, if it is written for machines."""
    try:
        text = Path(f"/usr/share/doc/{package.name}/copyright").read_text(errors="replace")
    except OSError:
        return ""
    found = re.search(r"^Files: \*$.*?^License: *(\S[^\n]*)$", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def component(package: Package, ways: set[str]) -> dict[str, object]:
    entry: dict[str, object] = {"type": "library", "bom-ref": package.reference, "name": package.name}
    if package.version:
        entry |= {"version": package.version, "purl": package.reference}
        if licence := licence_of(package):
            entry["licenses"] = [{"license": {"name": licence}}]
    return entry | {"properties": [{"name": "sartor:used-as", "value": how} for how in sorted(ways)]}


def packages_of_page() -> list[dict[str, object]]:
    """What the page of `sartor report` is bundled from, as its lock file has it."""
    lock = json.loads((ROOT / "src/tools/view/page/package-lock.json").read_text())
    bundled = {path.removeprefix("node_modules/"): each for path, each in lock["packages"].items()
               if path and not each.get("dev")}
    return [{"type": "library", "bom-ref": f"pkg:npm/{name}@{each['version']}", "name": name, "version": each["version"],
             "purl": f"pkg:npm/{name}@{each['version']}", "licenses": [{"license": {"name": each["license"]}}],
             "properties": [{"name": "sartor:used-as", "value": "bundled script"}]}
            for name, each in sorted(bundled.items())]


def bill(artifacts: list[Artifact], version: str) -> dict[str, object]:
    packages = packages_of({path for artifact in artifacts for path in artifact.uses})
    ways: dict[Package, set[str]] = defaultdict(set)
    main = f"pkg:generic/sartor@{version}"
    components, dependencies = [], []
    names = [artifact.path.name for artifact in artifacts]
    for artifact in sorted(artifacts, key=lambda each: (each.path.name, each.path.parent.name)):
        used = defaultdict(set)
        for path, how in artifact.uses.items():
            used[packages.get(path, Package(os.path.basename(path)))] |= how
        for package, how in used.items():
            ways[package] |= how
        name = artifact.path.name
        if names.count(name) > 1:
            name = f"{artifact.path.parent.name}/{name}"
        reference = f"sartor:{name}"
        is_program = not re.search(r"\.(so|a)(\.|$)", name)
        components.append({"type": "application" if is_program else "library", "bom-ref": reference,
                           "name": name, "version": version})
        dependencies.append({"ref": reference, "dependsOn": sorted(package.reference for package in used)})
    bundled = packages_of_page()
    components.append({"type": "file", "bom-ref": "sartor:page.html", "name": "page.html", "version": version})
    dependencies.append({"ref": "sartor:page.html", "dependsOn": [each["bom-ref"] for each in bundled]})
    dependencies.insert(0, {"ref": main, "dependsOn": sorted(str(each["bom-ref"]) for each in components)})
    components += [component(package, ways[package]) for package in sorted(ways)] + bundled
    content = {"metadata": {"component": {"type": "library", "bom-ref": main, "name": "sartor", "version": version,
                                          "purl": main,
                                          "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}]}},
               "components": components, "dependencies": dependencies}
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content, sort_keys=True))
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{number}", "version": 1} | content


def main() -> None:
    build, version, output, *names = sys.argv[1:]
    files = [Path(name).resolve() for name in names]
    Path(output).write_text(json.dumps(bill(examine(Path(build).resolve(), files), version), indent=1) + "\n")


if __name__ == "__main__":
    main()
