#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spack_recipe.py SOURCE WORK: checks packaging/spack without Spack, which no package registry has. The recipe is run
with stand-ins for Spack's modules: it needs what the Debian packages need, and sets options that CMake files have. A
repository is made of a tarball."""

import hashlib
import re
import subprocess
import sys
import types
from pathlib import Path

# How Spack calls Debian's packages; none: a part of another one, or only to make Debian packages.
NAMES = {
    "clang-22": "llvm", "llvm-22-dev": "llvm", "libclang-22-dev": "llvm", "libclang-cpp22": "llvm", "lld-22": "llvm",
    "nlohmann-json3-dev": "nlohmann-json", "libcli11-dev": "cli11", "libncurses-dev": "ncurses", "libssl-dev": "openssl",
    "systemtap-sdt-dev": "systemtap", "prometheus-cpp-dev": "prometheus-cpp", "pkg-config": "pkgconfig", "python3": "python",
    "debhelper-compat": None, "dh-sequence-installsysusers": None, "dh-python": None, "ninja-build": None, "python3-dev": None,
}  # fmt: skip


def build_dependencies(control: str) -> set[str]:
    """The names of Debian's packages that the source package depends on."""
    text = re.search(r"^Build-Depends:(.*?)^\S", control, re.MULTILINE | re.DOTALL)[1]
    return {re.match(r"\S+", entry.strip())[0] for entry in text.split(",")}


class Recorder:
    """Stands in for the modules of Spack: its directives record their arguments."""

    def __init__(self):
        self.calls = {}

    def directive(self, name):
        return lambda *arguments, **named: self.calls.setdefault(name, []).append((arguments, named))

    def run(self, source: str) -> type:
        package = types.ModuleType("spack.package")
        for name in ("license", "version", "depends_on", "requires"):
            setattr(package, name, self.directive(name))
        package.join_path = lambda *parts: "/".join(parts)
        cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        cmake.generator = self.directive("generator")
        cmake.CMakePackage = type("CMakePackage", (), {"define": staticmethod(lambda name, value: f"-D{name}={value}")})
        parts = cmake.__name__.split(".")
        modules = {".".join(parts[:end]): types.ModuleType("") for end in range(1, len(parts))}
        sys.modules.update(modules | {cmake.__name__: cmake, "spack": types.ModuleType("spack"), package.__name__: package})
        names = {}
        exec(compile(source, "package.py", "exec"), names)
        return names["Sartor"]


def main() -> None:
    source, work = Path(sys.argv[1]), Path(sys.argv[2])
    recorder = Recorder()
    recipe = recorder.run((source / "packaging/spack/package.py").read_text())
    assert [base.__name__ for base in recipe.__bases__] == ["CMakePackage"]

    needed = {NAMES.get(name, re.sub("-dev$", "", name)) for name in build_dependencies((source / "packaging/debian/control").read_text())}
    needed = {re.sub("^lib(hiredis|asio|zydis)$", r"\1", name) for name in needed if name} | {"c", "cxx"}
    given = {re.match(r"[\w-]+", arguments[0])[0] for arguments, _ in recorder.calls["depends_on"]}
    assert given == needed, given ^ needed

    made = recipe()
    prefix = types.SimpleNamespace(bin=types.SimpleNamespace(join=lambda name: f"/llvm/bin/{name}"))
    made.spec = {"llvm": types.SimpleNamespace(prefix=prefix)}
    made.stage = types.SimpleNamespace(source_path="/source")
    files = [source / "CMakeLists.txt", source / "src/tools/view/CMakeLists.txt", *(source / "cmake").glob("*.cmake")]
    cmake = "\n".join(file.read_text() for file in files)
    options = [re.fullmatch(r"-D(\w+)=(.*)", argument)[1] for argument in made.cmake_args()]
    for option in options:
        # CMake files name the programs of LLVM in a loop.
        own = option.startswith("SARTOR_") and option not in ("SARTOR_CLANG", "SARTOR_CLANGXX", "SARTOR_LLD")
        assert not own or option in cmake, option
    assert {"SARTOR_LLVM_CONFIG", "SARTOR_CLANG", "SARTOR_BUILD_TESTS"} <= set(options)
    assert made.build_targets == ["installed"]

    version = re.search(r"^project\(Sartor VERSION ([0-9.]+)", cmake, re.MULTILINE)[1]
    work.mkdir(parents=True, exist_ok=True)
    tarball = work / f"sartor_{version}.orig.tar.gz"
    tarball.write_bytes(b"a tarball")
    subprocess.run([source / "packaging/spack/repository.sh", tarball, work / "repository"], check=True)
    repository = work / "repository/spack_repo/sartor"
    assert "namespace: sartor" in (repository / "repo.yaml").read_text()
    recorder = Recorder()
    recipe = recorder.run((repository / "packages/sartor/package.py").read_text())
    assert recipe.url == f"file://{tarball.resolve()}", recipe.url
    assert recorder.calls["version"] == [((version,), {"sha256": hashlib.sha256(b"a tarball").hexdigest()})]
    print("all is well")


main()
