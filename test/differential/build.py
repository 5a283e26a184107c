# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and links programs of the differential tests, in their two builds."""

import random
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"


@dataclass
class Source:
    """A file of a program. One that is `fixed` has no handlers, and is the same in both builds."""

    path: Path
    fixed: bool = False
    flags: list[str] = field(default_factory=list)


@dataclass
class Program:
    name: str
    seed: int
    sources: list[Source]
    inputs: int = 64
    configurations: int = 12
    link: list[str] = field(default_factory=list)
    level: str = ""  # of optimization; by the seed if empty, and plain code is not optimised


class BuildError(Exception):
    """The compiler's words, where it refuses."""


def level(program):
    return program.level or random.Random(program.seed).choice(["-O0", "-O1", "-O2", "-O2", "-O2", "-O3", "-Os"])


def compile_source(tools, program, source, folder, kind):
    """kind: "plain" or "handlers"."""
    c = source.path.suffix == ".c"
    command = [tools.clang if c else tools.clangxx, "-std=gnu17" if c else "-std=c++20", "-w", "-fPIC"]
    command += ["-Wno-incompatible-pointer-types"] if c else []
    command += [f"-I{HERE / 'csmith'}", f"-I{HERE}", f"-I{INCLUDE}"]
    if kind == "plain":
        command += ["-O0" if not program.level else program.level]
        # Processors disagree on conversions of numbers that the other type cannot represent, so such inputs are
        # discarded.
        command += [f"-fsanitize{what}=float-cast-overflow" for what in ("", "-trap")]
    else:
        command += [level(program)]
        if not source.fixed:
            command += ["-fno-lto", "-DSARTOR_POINTS=1", f"-fplugin={tools.plugin}", f"-fpass-plugin={tools.plugin}"]
            # Source lines change nothing.
            command += [["-g0"], ["-gline-tables-only"], ["-g"]][program.seed % 3]
    # The object's name includes the folder, because a program may have several files of one name.
    target = folder / f"{'.'.join(source.path.relative_to(source.path.parent.parent).parts)}.{kind}.o"
    while target.exists():
        target = target.with_name("again." + target.name)
    # Compiled by the name alone, so that files of one name in two folders must be distinguished by something else.
    call(command + source.flags + ["-c", source.path.name, "-o", str(target)], source.path.parent)
    return target


def call(command, folder=None, timeout=300):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, cwd=folder)
    except subprocess.TimeoutExpired as late:
        raise BuildError(f"{shlex.join(map(str, command))}\ntook more than {timeout} s") from late
    if done.returncode:
        raise BuildError(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")


def build(tools, program, folder, kind):
    """Gives the path of the program; raises BuildError."""
    for old in folder.glob(f"*.{kind}.o"):
        old.unlink()
    objects = [compile_source(tools, program, source, folder, kind) for source in program.sources]
    target = folder / f"{program.name}.{kind}"
    # Linker flags may depend on what else is linked, for example for a weak symbol.
    call([tools.clangxx, "-fuse-ld=lld", *map(str, objects), str(tools.driver), f"-L{tools.library.parent}",
          f"-Wl,-rpath,{tools.library.parent}", "-lsartor", "-lm", "-pthread", *program.link,
          "-o", str(target)])  # fmt: skip
    return target


def read_shape(path):
    """A program of the list of shapes: a file, or a folder of files. The first lines may say

        // flags: ...     of the compiler, for this file
        // fixed          this file has no handlers
        // link: ...
        // again: ...     the file is compiled a second time, with these flags besides
        // inputs: N, configurations: N, level: -O2
    """
    files = [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.suffix in (".c", ".cpp"))
    program = Program(name=path.stem, seed=1, sources=[], inputs=32, configurations=8)
    for file in files:
        source = Source(file)
        for line in file.read_text(errors="replace").split("\n")[:12]:
            if match := re.search(r"\bflags: (.*?)(\*/|$)", line):
                source.flags = match[1].split()
            if re.match(r"(//|/\*) fixed\b", line):
                source.fixed = True
            if match := re.search(r"\blink: (.*?)(\*/|$)", line):
                program.link += match[1].split()
            for match in re.finditer(r"\b(inputs|configurations): (\d+)", line):
                setattr(program, match[1], int(match[2]))
            if match := re.search(r"\blevel: (-O\S)", line):
                program.level = match[1]
            if match := re.search(r"\bagain: (.*?)(\*/|$)", line):
                program.sources.append(Source(file, flags=match[1].split()))
        program.sources.append(source)
    return program
