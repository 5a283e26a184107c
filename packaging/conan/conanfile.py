# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages Sartor from the source tarball, or from a clone, that this file is in: conan create packaging/conan.

LLVM 22 and the libraries below come from the machine, because a program that loads LLVM must load the libraries that
LLVM was linked with."""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.0"


class SartorConan(ConanFile):
    name = "sartor"
    description = "Specializes native programs while they run"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("llvm", "jit", "specialization", "autotuning")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    @property
    def _sources(self):
        return Path(self.recipe_folder).parents[1]

    def set_version(self):
        project = load(self, self._sources / "CMakeLists.txt")
        self.version = re.search(r"^project\(Sartor VERSION ([0-9.]+)", project, re.MULTILINE)[1]

    def export_sources(self):
        # What an installation needs.
        for folder in ("bindings/rust", "cmake", "docs", "examples", "include", "loader", "packaging", "scripts", "src"):
            copy(self, "*", self._sources / folder, Path(self.export_sources_folder) / folder, excludes=("*/target/*", "*/node_modules/*"))
        for file in ("CHANGELOG.md", "CMakeLists.txt", "LICENSE", "README.md", "page.html"):
            copy(self, file, self._sources, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch != "x86_64":
            raise ConanInvalidConfiguration("Sartor runs on Linux on x86-64")
        if self.settings.compiler not in ("clang", "gcc") or self.settings.compiler.libcxx not in ("libstdc++", "libstdc++11"):
            raise ConanInvalidConfiguration("Programs with Sartor use clang or gcc, and libstdc++")

    def package_id(self):
        # Always compiled by clang 22, because of its plugin.
        self.info.settings.rm_safe("compiler")

    def layout(self):
        cmake_layout(self)

    def system_requirements(self):
        # The names of Debian; elsewhere, install the same first.
        Apt(self).install(
            ["cmake", "ninja-build", "pkg-config", "python3", "clang-22", "llvm-22-dev", "libclang-22-dev", "libclang-cpp22", "lld-22"]
            + ["libffi-dev", "nlohmann-json3-dev", "libcli11-dev", "libncurses-dev", "systemtap-sdt-dev", "libasio-dev"]
            + ["libhiredis-dev", "libseccomp-dev", "libssl-dev", "prometheus-cpp-dev", "libsodium-dev", "libbpf-dev", "libzydis-dev"]
        )

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.cache_variables.update(CMAKE_C_COMPILER="clang-22", CMAKE_CXX_COMPILER="clang++-22")
        toolchain.cache_variables.update({f"CMAKE_{kind}_LINKER_FLAGS": "-fuse-ld=lld" for kind in ("EXE", "SHARED", "MODULE")})
        toolchain.cache_variables.update({f"SARTOR_BUILD_{part}": False for part in ("TESTS", "BENCH", "EXAMPLES")})
        page = Path(self.source_folder) / "page.html"
        if page.exists():
            toolchain.cache_variables["SARTOR_PAGE"] = str(page)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="installed")

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        # Programs use the CMake package that Sartor installs: it has sartor_add_handler(), too.
        self.cpp_info.builddirs = ["lib/cmake"]
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.set_property("pkg_config_name", "sartor")
        self.cpp_info.libs = ["sartor"]
        self.buildenv_info.prepend_path("PATH", str(Path(self.package_folder) / "bin"))
        self.runenv_info.prepend_path("PATH", str(Path(self.package_folder) / "bin"))
