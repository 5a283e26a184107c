#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""link.py DIRECTORY PREFIX: makes the handler module of a built kernel, and a kernel with the device
runtime of the Sartor that is installed in PREFIX.

Reads DIRECTORY/kernel, the output of kbuild, and DIRECTORY/take. Writes DIRECTORY/linux and
DIRECTORY/modules/kernel.module.
"""
import collections
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# The files that functions.taken names functions of, in the order of the kernel.
FILES = """lib/iov_iter net/socket net/core/dst net/core/sock net/core/skbuff net/core/dev net/ipv4/route
net/ipv4/ip_output net/ipv4/udp net/sartor/send drivers/net/dummy""".split()


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, words))[:400]}\n{done.stdout}{done.stderr}"[:8000])
    return done.stdout


def symbols_of(object_file):
    """Yields (letter, name) of what is defined."""
    for line in run("llvm-nm-22", "--defined-only", object_file).splitlines():
        _, letter, name = line.split(maxsplit=2)
        yield letter, name


class Kernel:
    def __init__(self, directory, prefix):
        self.directory, self.prefix = directory, prefix
        self.output = directory / "kernel"
        self.work = directory / "module"
        self.work.mkdir(exist_ok=True)
        (directory / "modules").mkdir(exist_ok=True)
        members = run("llvm-ar-22", "t", self.output / "vmlinux.a").split()
        self.objects = [pathlib.Path(m).relative_to(self.output) if m.startswith("/") else pathlib.Path(m)
                        for m in members]
        self.handler_headers = f"-I{prefix}/include"

    def flags(self, file):
        """The words that kbuild has compiled a file with."""
        note = self.output / pathlib.Path(file).parent / f".{pathlib.Path(file).name}.o.cmd"
        line = note.read_text().splitlines()[0].split(":=", 1)[1]
        words = shlex.split(line.split(" ; ")[0].replace("\\#", "#"))
        at = words.index("-o")
        del words[at:at + 2]
        return [word for word in words if word != "-c" and not word.startswith("-Wp,-MMD")]

    def bitcode(self, file, name, output):
        words = ["-O1" if word == "-O2" else word for word in self.flags(file)]
        # CONFIG_RETPOLINE has the kernel name the callees of indirect calls that it knows.
        run(*words, "-w", "-Xclang", "-disable-llvm-passes", "-DSARTOR_POINTS=1", "-DCONFIG_RETPOLINE=1", f"-DSARTOR_FILE_{name}",
            self.handler_headers, "-include", HERE / "kernel/module.h", "-emit-llvm", "-c", "-o", output,
            cwd=self.output)

    def ambiguous(self):
        """Local symbols of several objects, or with the name of a global one."""
        seen = collections.Counter()
        for each in self.objects:
            seen.update({name for _, name in symbols_of(self.output / each)})
        return sorted(name for name, count in seen.items() if count > 1)

    def take(self):
        """Makes the module's bitcode; returns renamed symbols by object."""
        locals_ = self.work / "ambiguous"
        locals_.write_text("\n".join(self.ambiguous()))
        parts, shared = [], {}
        for file in FILES:
            name = file.replace("/", "_")
            whole, part, native = (self.work / f"{name}.{kind}" for kind in ("whole.bc", "bc", "nm"))
            self.bitcode(file, name, whole)
            native.write_text(run("llvm-nm-22", "--defined-only", self.output / f"{file}.o"))
            shared[file] = run(self.directory / "take", HERE / "functions.taken", locals_, native, name, whole,
                               part).splitlines()
            parts.append(part)
        linked = self.work / "linked.bc"
        run("llvm-link-22", *parts, "-o", linked)
        once = "sroa,early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,jump-threading,simplifycfg,dse,adce"
        run("opt-22", f"-passes=always-inline,globaldce,function({once},{once})", linked, "-o",
            self.work / "module.bc")
        return shared

    def share(self, shared):
        """Copies objects, with local symbols that variants refer to made global."""
        wanted = set(re.findall(r'"([^"]+)"', (self.work / "kernel.c").read_text()))
        copies = {}
        for file, renamed in shared.items():
            pairs = [line.split() for line in renamed if not line.startswith("+")]
            pairs = [(old, new) for old, new in pairs if new in wanted]
            copy = self.work / f"{file.replace('/', '_')}.o"
            words = []
            for old, new in dict(pairs).items():
                words += ["--globalize-symbol", old]
                if old != new:
                    words += ["--redefine-sym", f"{old}={new}"]
            run("llvm-objcopy-22", *words, self.output / f"{file}.o", copy)
            copies[pathlib.Path(f"{file}.o")] = copy
        return copies

    def table(self):
        run(self.prefix / "bin/sartor", "device", self.work / "module.bc", "--target", "x86-64", "--output",
            self.work / "kernel")
        (self.work / "kernel.module").rename(self.directory / "modules/kernel.module")
        compiled = self.work / "kernel_table.o"
        run("gcc", "-O1", "-fno-pie", "-w", self.handler_headers, "-c", self.work / "kernel.c", "-o", compiled)
        return compiled

    def host(self):
        """The device runtime, the half of the kernel that calls it, and a C library's part of their own."""
        sources = HERE / "kernel/sartor"
        objects = []
        for name in ("host", "host_system"):
            objects.append(self.work / f"{name}.o")
            run("gcc", "-O2", "-fno-pie", "-fno-stack-protector", "-Wall", "-Wextra", "-Werror",
                self.handler_headers, "-c", sources / f"{name}.c", "-o", objects[-1])
        joined = self.work / "runtime.o"
        sodium = run("gcc", "-print-file-name=libsodium.a").strip()
        run("gcc", "-r", "-nostdlib", "-o", joined, *objects, self.work / "kernel_table.o", "-Wl,--start-group",
            self.prefix / "lib/libsartor-device.a", sodium, "-Wl,--end-group")
        return joined

    def link(self, copies, more):
        objects = [copies.get(each, each) for each in self.objects]
        libraries = [each for each in ("lib/lib.a", "arch/x86/um/lib.a") if (self.output / each).exists()]
        kallsyms = [".tmp_vmlinux.kallsyms2.o"] if (self.output / ".tmp_vmlinux.kallsyms2.o").exists() else []
        wraps = [f"-Wl,--wrap,{name}" for name in ("malloc", "free", "calloc")]
        words = ["clang-22", "-static", "-m64", "-no-pie", *wraps, "-Wl,-m,elf_x86_64", "-Wl,-z,noexecstack",
                 "-Wl,--script=arch/um/kernel/vmlinux.lds", "-o", self.directory / "linux", "-Wl,--whole-archive",
                 *objects, "init/version-timestamp.o", "-Wl,--no-whole-archive", *more, "-Wl,--start-group", *libraries,
                 "-Wl,--end-group", *kallsyms, "-lutil", "-lrt", "-lpthread"]
        done = subprocess.run([str(word) for word in words], text=True, capture_output=True, cwd=self.output)
        return done.returncode, done.stderr

    def absent(self, shared):
        """Defines what no object of the kernel has: variables of inline code."""
        variables = [line.split()[1:] for lines in shared.values() for line in lines if line.startswith("+")]
        text = "".join(f'char sartor_absent_{number}[{size}] __asm__("{name}") __attribute__((aligned(16)));\n'
                       for number, (name, size) in enumerate(variables))
        source, compiled = self.work / "absent.c", self.work / "absent.o"
        source.write_text(text)
        run("gcc", "-O2", "-fno-pie", "-w", "-c", source, "-o", compiled)
        return compiled


def main():
    kernel = Kernel(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    shared = kernel.take()
    kernel.table()
    copies = kernel.share(shared)
    failed, said = kernel.link(copies, [kernel.host(), kernel.absent(shared)])
    if failed:
        sys.exit(said[:8000])


if __name__ == "__main__":
    main()
