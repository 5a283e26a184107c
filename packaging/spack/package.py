# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Sartor(CMakePackage):
    """Sartor specializes native programs while they run. A program marks what could be specialized in its hot
    code; Sartor compiles guarded variants, measures them in the running system, and activates the best one."""

    # repository.sh writes the tarball's path and checksum into its copy of this recipe.
    url = "file://@TARBALL@"

    license("Apache-2.0 WITH LLVM-exception")

    version("@VERSION@", sha256="@SHA256@")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("asio", type="build")
    depends_on("cli11@2.3:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("systemtap", type="build")

    # Programs with handlers are compiled by clang, which loads Sartor's plugin; at run time, they load LLVM.
    depends_on("llvm@22 +clang +lld +llvm_dylib targets=all", type=("build", "link", "run"))
    requires("%[virtuals=c,cxx] llvm@22")
    depends_on("hiredis")
    depends_on("libbpf")
    depends_on("libffi")
    depends_on("libseccomp")
    depends_on("libsodium")
    depends_on("ncurses")
    depends_on("openssl@3:")
    depends_on("prometheus-cpp")
    depends_on("zydis@4:")

    requires("platform=linux", msg="Sartor runs on Linux")
    requires("target=x86_64:", msg="Sartor runs on x86-64")

    def cmake_args(self):
        llvm = self.spec["llvm"].prefix.bin
        args = [
            self.define("SARTOR_LLVM_CONFIG", llvm.join("llvm-config")),
            self.define("SARTOR_CLANG", llvm.join("clang-22")),
            self.define("SARTOR_CLANGXX", llvm.join("clang++")),
            self.define("SARTOR_LLD", llvm.join("ld.lld")),
            self.define("SARTOR_PAGE", join_path(self.stage.source_path, "page.html")),
        ]
        args += [self.define(f"CMAKE_{kind}_LINKER_FLAGS", "-fuse-ld=lld") for kind in ("EXE", "SHARED", "MODULE")]
        args += [self.define(f"SARTOR_BUILD_{part}", False) for part in ("TESTS", "BENCH", "EXAMPLES")]
        return args

    @property
    def build_targets(self):
        return ["installed"]
