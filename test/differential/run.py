#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares plain code with specialized code: of the odd shapes that are listed, of random programs of
csmith's, and of two kinds of random programs of our own. A case is a program under a configuration with an input.

Programs follow from the seed. What differs is left in a folder, with the smallest trial that shows it
and a script that does. Ends with 1 if anything differs.
"""

import argparse
import concurrent.futures
import itertools
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import build as builds
import copies_program
import csmith_program
import kernel_program
import locals_program
import smallest
from build import HERE, BuildError, Program, Source
from tally import Tally

# Kind → generator of its programs; csmith is separate.
LLVM = os.environ.get("SARTOR_LLVM", "22")  # the major version that Sartor is built with
GENERATORS = {"kernel": kernel_program, "copies": copies_program, "locals": locals_program}


@dataclass
class Result:
    program: Program
    cases: int = 0
    points: int = 0
    compiles: int = 0
    failures: int = 0  # of guards
    compared: int = 0  # calls that the runtime itself has compared
    unused: str = ""  # the reason why the program is not used
    difference: str = ""
    refused: set = field(default_factory=set)  # refused bindings


def usable(expected):
    return sum(line != "-" for line in expected.read_text().split("\n") if line)


def lost(code):
    return f"killed by signal {-code}" if code < 0 else f"exited with {code}"


def vary(tools, executable, program, expected, seed):
    """The lines that it prints; the last one begins with "difference" if there is one."""
    command = [str(executable), "vary", str(expected), str(seed), str(program.configurations)]
    try:
        # Runs in its own folder, where it may create files.
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=tools.patience, cwd=executable.parent
        )
    except subprocess.TimeoutExpired as late:
        lines = (late.stdout or b"").decode(errors="replace").split("\n")
        return [*filter(None, lines), f"difference: not at its end after {tools.patience} s"]
    lines = [line for line in done.stdout.split("\n") if line]
    if done.returncode and not any(line.startswith("difference: ") for line in lines):
        lines.append(f"difference: {lost(done.returncode)}: {done.stderr.strip()[-400:]}")
    return lines


def is_undefined(tools, program, folder, expected):
    """Whether plain code itself gives something else when it is optimised."""
    optimised = Program(program.name + ".optimised", program.seed, program.sources, link=program.link, level="-O2")
    plain = builds.build(tools, optimised, folder, "plain")
    other = folder / "expected.optimised"
    subprocess.run([str(plain), "plain", str(program.inputs), str(other)], capture_output=True, check=False, cwd=folder)
    pairs = zip(expected.read_text().split("\n"), other.read_text().split("\n"))
    return any(a != b and "-" not in (a, b) for a, b in pairs)


def try_program(tools, kind, program, folder):
    result = Result(program)
    try:
        plain = builds.build(tools, program, folder, "plain")
    except BuildError as error:
        # Inserting points into a csmith program may make it invalid; in our own programs that is an error.
        setattr(result, "unused" if kind == "csmith" else "difference", f"not compiled: {error}")
        return result
    expected = folder / "expected"
    command = [str(plain), "plain", str(program.inputs), str(expected)]
    done = subprocess.run(command, capture_output=True, check=False, cwd=folder)
    if done.returncode or usable(expected) < min(8, program.inputs):
        reason = lost(done.returncode) if done.returncode else "hangs or ends by itself"
        setattr(result, "difference" if kind == "shape" else "unused", reason)
        return result
    try:
        executable = builds.build(tools, program, folder, "handlers")
    except BuildError as error:
        result.difference = f"not compiled: {error}"
        return result
    # The runtime's options follow from the seed; a shape is tried with several seeds.
    lines, seeds = [], range(1, 5) if kind == "shape" else [program.seed]
    for seed in seeds:
        lines += vary(tools, executable, program, expected, seed)
        if any(line.startswith("difference: ") for line in lines):
            program.seed = seed
            break
    for line in lines:
        word, _, rest = line.partition(" ")
        if word in ("cases", "points", "compiles"):
            setattr(result, word, getattr(result, word) + int(rest) if word != "points" else int(rest))
        elif word == "guard-failures":
            result.failures += int(rest)
        elif word == "compared":
            result.compared += int(rest)
        elif word == "refused":
            result.refused.add(rest)
        elif word == "difference:" and not result.difference:
            result.difference = rest
    if result.difference and kind != "shape" and is_undefined(tools, program, folder, expected):
        result.unused, result.difference = "undefined", ""
    elif result.difference:
        trials = [line.partition(" ")[2] for line in lines if line.startswith("trial ")]
        smallest.leave(tools, program, folder, executable, trials[-1] if trials else "", result.difference)
    return result


def made(tools, kind, seed):
    """A random program, in a folder of its own."""
    folder = tools.output / f"{kind}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = Program(f"{kind}-{seed}", seed, [])
    if kind == "csmith":
        file = folder / "program.c"
        file.write_text(csmith_program.make(seed))
        program.sources = [Source(file)]
    else:
        program.sources = GENERATORS[kind].make(seed, folder)
    return program


def one(tools, kind, what):
    """Makes a program, tries it, and leaves nothing of it unless something differs."""
    try:
        if kind == "shape":
            program = builds.read_shape(what)
            folder = tools.output / program.name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        else:
            program = made(tools, kind, what)
            folder = tools.output / program.name
        result = try_program(tools, kind, program, folder)
    except csmith_program.Unusable as reason:
        result = Result(Program(f"{kind}-{what}", 0, []), unused=str(reason))
        folder = tools.output / result.program.name
    if not result.difference and not tools.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def known_differences(folder):
    """Shape → why it differs, from known.txt."""
    file = folder / "known.txt"
    lines = file.read_text().split("\n") if file.exists() else []
    pairs = (line.partition("|") for line in lines if "|" in line and not line.startswith("#"))
    return {name.strip(): why.strip() for name, _, why in pairs}


def work(options):
    """What is to be tried, without end: how many random programs came before, the kind, and what it is."""
    for path in sorted(p for p in options.shapes.iterdir() if p.suffix in (".c", ".cpp") or p.is_dir()):
        if "shapes" in options.kinds and options.only in ("", path.stem):
            yield 0, ("shape", path)
    random_kinds = [kind for kind in ("csmith", *GENERATORS) if kind in options.kinds]
    if not random_kinds or options.only:
        return
    for number, kind in enumerate(itertools.cycle(random_kinds)):
        yield number, (kind, options.seed * 1_000_000 + number // len(random_kinds))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="a built tree of the project")
    parser.add_argument("--cases", type=int, default=100_000, help="how many at least; all shapes in any case")
    parser.add_argument("--programs", type=int, default=0, help="how many random programs at most; 0: any number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--kinds", default=",".join(("shapes", "csmith", *GENERATORS)), help="of programs")
    parser.add_argument("--only", default="", help="the shape of this name, and nothing else")
    parser.add_argument("--shapes", type=Path, default=HERE / "shapes", help="where the shapes are")
    parser.add_argument("--compare", action="store_true", help="let the runtime compare every call, too")
    parser.add_argument("--verbose", action="store_true", help="say why programs are not used")
    parser.add_argument("--keep", action="store_true", help="leave all programs")
    parser.add_argument("--output", type=Path, help="build/differential")
    options = parser.parse_args()
    options.kinds = options.kinds.split(",")
    return options


def main():
    options = parse()
    if "csmith" in options.kinds and not shutil.which("csmith"):
        print("no csmith: apt-get install csmith libcsmith-dev")
        return 2
    tree = options.build.resolve()
    tools = SimpleNamespace(
        clang="clang-" + LLVM, clangxx="clang++-" + LLVM, plugin=tree / "lib/SartorPlugin.so", library=tree / "lib/libsartor.so",
        driver=tree / "lib/libdifferential_driver.a", output=(options.output or tree / "differential").resolve(),
        patience=300, keep=options.keep,
    )  # fmt: skip
    tools.output.mkdir(parents=True, exist_ok=True)
    if options.compare:  # a difference that the runtime finds, right or wrong, ends the program
        os.environ |= {"SARTOR_VERIFY": "all", "SARTOR_ABORT_ON_DIFFERENCE": "on", "SARTOR_STATE_DIR": str(tools.output / "state")}  # fmt: skip
    begin, tally, pending = time.monotonic(), Tally(known_differences(options.shapes), options.verbose), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        # Cases are counted in the order in which they began, so that the count follows from the seed.
        for number, (kind, what) in work(options):
            enough = tally.cases >= options.cases or (options.programs and number >= options.programs)
            if kind != "shape" and enough:
                break
            pending.append((kind, pool.submit(one, tools, kind, what)))
            if len(pending) > options.jobs:
                kind, future = pending.pop(0)
                tally.add(kind, future.result())
        for kind, future in pending:
            tally.add(kind, future.result())
    tally.print(options.seed, time.monotonic() - begin, tools.output)
    return 1 if tally.different else 0


if __name__ == "__main__":
    sys.exit(main())
