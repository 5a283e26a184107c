# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows: what programs rely on, each tried by a small program (probe/)."""

import concurrent.futures
import os
import re
import shutil
import signal
import subprocess

from cell import Result, Skip
from rows import feature


def simple(title, *names, **options):
    """A row that runs probes which check themselves."""

    @feature(title, **options)
    def run(cell):
        for name in names:
            cell.probe(name)


@feature("LD_PRELOAD")
def preload(cell):
    cell.probe("greet")
    result = cell.probe("greet", env={"LD_PRELOAD": cell.probes / "libprobe_interposer.so"})
    cell.check(result.out == "good night\ngood night, please\n43\n", "is not interposed")
    cell.probe("greet")


@feature("LD_PRELOAD of what is not there")
def preload_nothing(cell):
    cell.probe("calls_lazy", env={"LD_PRELOAD": "/nowhere/libprobe.so"})


@feature("LD_LIBRARY_PATH")
def library_path(cell):
    for number in (1, 2, 1):
        result = cell.probe("choice", env={"LD_LIBRARY_PATH": cell.probes / f"choice{number}"})
        cell.check(result.out == f"library {number}\n", "another library")


@feature("RPATH and RUNPATH with $ORIGIN")
def origin(cell):
    for name, with_path in (("choice_rpath", 2), ("choice_runpath", 1)):
        cell.check(cell.probe(name).out == "library 2\n", "another library")
        result = cell.probe(name, env={"LD_LIBRARY_PATH": cell.probes / "choice1"})
        cell.check(result.out == f"library {with_path}\n", "another library")
        # At another place, the same program has another library.
        moved = cell.copy(name, f"moved/{name}")
        cell.copy("choice3/libprobe_choice.so", "moved/choice2/libprobe_choice.so")
        cell.check(cell.run(moved).out == "library 3\n", "another library")


@feature("a library is replaced between runs")
def replaced(cell):
    library = cell.copy("choice1/libprobe_choice.so")
    known = os.stat(library)
    path = {"LD_LIBRARY_PATH": cell.directory}
    cell.check(cell.probe("choice", env=path).out == "library 1\n", "another library")
    os.rename(cell.copy("choice2/libprobe_choice.so", "new"), library)
    cell.check(cell.probe("choice", env=path).out == "library 2\n", "another library")
    # Changed in place, with the same size and time.
    with open(library, "r+b") as file:
        file.write((cell.probes / "choice3/libprobe_choice.so").read_bytes())
    os.utime(library, ns=(known.st_atime_ns, known.st_mtime_ns))
    cell.check(cell.probe("choice", env=path).out == "library 3\n", "another library")


@feature("the program is replaced between runs")
def program_replaced(cell):
    cell.copy("libprobe_work.so")
    cell.copy("libprobe_greet.so")
    for name in ("calls_lazy", "greet", "calls_lazy"):
        program = cell.copy(name, "program")
        cell.run(program)
        cell.run(program)


@feature("dlopen, dlsym, dlclose, dlmopen, dladdr")
def dlopen(cell):
    cell.probe("dlopen", cell.probes)


simple("dl_iterate_phdr and link maps", "phdr")
simple("dladdr and RTLD_NEXT among many libraries", "owners")


@feature("C++ exceptions across libraries")
def exceptions(cell):
    cell.probe("exceptions", cell.probes)


@feature("an exception that nobody catches")
def uncaught(cell):
    cell.probe("uncaught", status=-signal.SIGABRT)


@feature("thread-local storage, all models")
def tls(cell):
    cell.probe("tls", cell.probes)


simple("thread-local storage with destructors", "tls_destructors")


@feature("order of constructors, destructors, atexit")
def order(cell):
    cell.probe("order", "once", env={"PROBE": "value"}, status=6)
    cell.probe("order", "twice", "exit", env={"PROBE": "value"}, status=7)


simple("fork", "fork")
simple("threads", "threads")
simple("IFUNC", "ifunc", "ifunc_fixed")
simple("weak symbols", "weak")
simple("all that relocations lead to", "settled_lazy", "settled_now", "settled_relr", "settled_symbolic",
       "settled_no_plt", "settled_fixed")
simple("symbol versions", "versions")
simple("copy relocations, program at fixed addresses", "copied", "calls_fixed")
simple("function pointers equal across libraries", "pointers", "pointers_fixed")
simple("bound at start (-z now)", "calls_now")
simple("-fno-plt", "calls_no_plt")
simple("packed relocations, no section symbols", "calls_tidy")
simple("branch protection (-fcf-protection)", "calls_cet")
simple("optimised code (-O3)", "calls_tuned")
simple("a library without .eh_frame", "no_unwind")
simple("tables of distances between data and the rest", "distances", "tables")
simple("medium and large code models", "tables_medium", "tables_large")
simple("hidden, protected, interposed by the program", "visibility")
simple("large .bss and heap", "bss")
simple("a library of a few hundred bytes", "tiny")
simple("code, data and thread-local data aligned to more than a page", "aligned")
simple("what the stock loader knows of the processor", "processor")


@feature("bound lazily, LD_BIND_NOW")
def lazy(cell):
    cell.probe("calls_lazy")
    cell.probe("calls_lazy", env={"LD_BIND_NOW": "1"})


@feature("static program", untouched=True)
def static(cell):
    cell.probe("static", "argument", env={"PROBE": "value"}, status=4)


@feature("static program that moves (static-pie)", untouched=True)
def static_pie(cell):
    cell.probe("static_pie", "argument", env={"PROBE": "value"}, status=4)


@feature("a library is missing", untouched=True)
def missing(cell):
    result = cell.probe("choice", status=127)
    cell.check("error while loading shared libraries: libprobe_choice.so" in result.err,
               "another message")


@feature("a symbol is missing", untouched=True)
def symbol_missing(cell):
    cell.copy("libprobe_counter.so", "libprobe_choice.so")
    for now in ({}, {"LD_BIND_NOW": "1"}):
        result = cell.probe("choice", env={"LD_LIBRARY_PATH": cell.directory, **now}, status=127)
        cell.check("undefined symbol: chosen" in result.err, "another message")


@feature("/proc/self/exe, argv")
def identity(cell):
    cell.probe("identity", "exe")
    cell.probe("identity", "arguments", "--passes=none", "--", "", "with spaces", "-h")
    cell.probe("identity", "arguments", *(100 * str(i % 10) for i in range(1000)))


@feature("/proc/self/cmdline and comm")
def proc(cell):
    cell.probe("identity", "proc", "--", "argument")


# Each column has its own plans.
@feature("environment", different=((r"(XDG_CACHE_HOME)=.*", r"\1"),))
def environment(cell):
    cell.probe("identity", "environment", env={"EMPTY": "", "LD_BIND_NOW": "", "NAME": "va=lue\n"})


@feature("open files at start")
def handles(cell):
    cell.probe("identity", "handles")
    cell.probe("identity", "handles", before=["sh", "-c", 'exec "$@" <&- 2>&-', "sh"])


SIGNALS = ("TRAP", "CHLD", "HUP", "WINCH")


def state(cell, *program):
    """What a program finds of whoever started it, with signals that are ignored, or blocked, or neither."""
    for how in ((), ("ignore",), ("block",)):
        before = ["env", *(f"--{each}-signal={signal}" for each in how for signal in SIGNALS)]
        for _ in range(2):
            cell.run(*program, before=before)


@feature("signals, files and children at start")
def state_planned(cell):
    state(cell, cell.probes / "state")


@feature("the same, left to the stock loader", untouched=True)
def state_left(cell):
    state(cell, cell.probes / "state_static")
    script = cell.write("script", f"#!/bin/sh\nexec {cell.probes}/state\n", 0o755)
    state(cell, script)
    if cell.stock:
        return
    for program in (cell.probes / "state_static", script):
        result = cell.run(*cell.prefix[:-1], "--strict", "--", program, direct=True, keep=False, status=126)
        cell.check(not result.out and "it is refused" in result.err, "it is not refused: " + result.err)


@feature("a library appears earlier in the search path")
def shadowed(cell):
    path = {"LD_LIBRARY_PATH": f"{cell.directory}/a:{cell.directory}/b"}
    cell.copy("choice1/libprobe_choice.so", "b/libprobe_choice.so")
    cell.check(cell.probe("choice", env=path).out == "library 1\n", "another library")
    library = cell.copy("choice2/libprobe_choice.so", "a/libprobe_choice.so")
    cell.check(cell.probe("choice", env=path).out == "library 2\n", "another library")
    library.unlink()
    cell.check(cell.probe("choice", env=path).out == "library 1\n", "another library")


@feature("auxiliary vector")
def auxv(cell):
    cell.probe("auxv", cell.probes / "auxv")


@feature("by a relative path, a link, from PATH")
def ways(cell):
    cell.run("./greet", cwd=cell.probes)
    link = cell.directory / "other_name"
    link.symlink_to(cell.probes / "greet")
    cell.run(link)
    cell.run("../cell/other_name")
    path = {"PATH": f"{cell.probes}:{cell.environment['PATH']}"}
    if cell.stock:  # the kernel does not use the loader there
        cell.run(cell.probes / "greet", env=path)
    else:
        cell.run("greet", env=path)


simple("deep recursion", "stack")


@feature("unlimited stack, no address randomisation")
def layouts(cell):
    unlimited = ["sh", "-c", 'ulimit -s unlimited; exec "$@"', "sh"]
    fixed = ["setarch", "-R"]
    for before in (unlimited, fixed, fixed + unlimited):
        for name in ("calls_lazy", "calls_fixed", "bss"):
            cell.probe(name, before=before)


@feature("vfork, exec, posix_spawn, system")
def vfork(cell):
    cell.probe("vfork")


simple("backtrace() in a signal handler", "backtrace")


def is_asleep(process):
    with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def frames_in_debugger(cell, name):
    server = cell.start(cell.probes / name, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    server.stdout.readline()
    cell.until(lambda: is_asleep(server.pid), server, name)  # it reads its input
    result = cell.run("gdb", "-nx", "-iex", "set debuginfod enabled off", "-p", server.pid, "-batch",
                      "-ex", "bt", direct=True, keep=False)
    server.stdin.close()
    server.stdout.read()
    cell.stop(server, None, name)
    if re.search("ptrace: Operation not permitted", result.err):
        raise Skip("gdb may not attach")
    return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?([\w@?]+)", result.out, re.MULTILINE)


@feature("backtrace in gdb", needs=("gdb",))
def debugger(cell):
    for _ in range(2):
        frames = frames_in_debugger(cell, "waits")
        for name in ("work_waits", "program_waits", "work_with", "main"):
            cell.check(name in frames, f"gdb does not show {name}, but " + " ".join(frames))
        cell.note(frames)


@feature("symbols in perf", needs=("perf",))
def profiler(cell):
    data = cell.directory / "perf.data"
    # Without its cache, which links to libraries, and so changes when they were changed.
    record = ("perf", "record", "-N", "-q", "-e", "cpu-clock", "-g", "-o", data, "--")
    if cell.run(*record, "true", direct=True, keep=False, status=None).status != 0:
        raise Skip("perf cannot record here")
    cell.run(*record, *cell.prefix, cell.probes / "spins", direct=True, keep=False)
    script = cell.run("perf", "script", "-i", data, "-F", "ip,sym", direct=True, keep=False)
    chains = [set(re.findall(r"^\s+[0-9a-f]+ (\w+)", chain, re.MULTILINE))
              for chain in script.out.split("\n\n")]
    wanted = {"work", "work_spins", "program_spins", "work_with", "main"}
    best = max(chains, key=lambda chain: len(chain & wanted))
    missing = sorted(wanted - best)
    cell.check(not missing, "perf's chains lack " + ", ".join(missing))


@feature("a setuid program is refused", untouched=True)
def setuid(cell):
    program = cell.copy("identity")
    if os.geteuid() == 0:
        os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    result = cell.run(program, "exe", status=None, keep=False)
    if cell.stock:
        cell.check(result.status == 0 and result.out, "does not run")
        return
    cell.check(result.status not in (0, None) and not result.out, "it was run")
    cell.check(re.search("set-?u(ser-)?id|rights", result.err, re.IGNORECASE),
               "no word of why: " + result.err.strip())


@feature("a script with #!", untouched=True)
def script(cell):
    for interpreter in ("/bin/sh", "/usr/bin/env -S sh -e"):
        path = cell.write("script", f'#!{interpreter}\necho "script: $1 $(basename "$0")"\nexit 5\n',
                          0o755)
        cell.run(path, "argument", status=5)
        cell.run(path, "argument", status=5)


def damaged(good):
    """ELF files with something wrong, by name."""

    def patched(offset, data):
        return good[:offset] + data + good[offset + len(data):]

    header = int.from_bytes(good[32:40], "little")
    size, count = (int.from_bytes(good[at:at + 2], "little") for at in (54, 56))
    segments = {int.from_bytes(good[header + i * size:][:4], "little"): header + i * size
                for i in range(count)}
    far = (1 << 40).to_bytes(8, "little")
    yield "empty", b""
    yield "text", b"neither a program nor a script\n"
    yield "header cut", good[:40]
    yield "program headers cut", good[:header + 20]
    yield "cut in half", good[:len(good) // 2]
    yield "another machine", patched(18, b"\xb7\x00")
    yield "32 bits", patched(4, b"\x01")
    yield "another kind", patched(16, b"\x07\x00")
    yield "program headers far away", patched(32, far)
    yield "too many program headers", patched(56, b"\xff\xff")
    yield "no program headers", patched(56, b"\x00\x00")
    if 3 in segments:
        yield "interpreter far away", patched(segments[3] + 8, far)
    yield "segment far away", patched(segments[1] + 8, far)
    yield "dynamic section far away", patched(segments[2] + 16, far)
    yield "random", bytes((i * 7919 >> 3) & 255 for i in range(4096))


def outcome(cell, name, result):
    """Damaged files need not fail in the same way, but must not run; nor may the loader crash where
    the stock one did not."""
    if cell.stock:
        cell.shared[name] = result.status
    cell.note(f"{name}: {'runs' if result.status == 0 else 'does not run'}, {result.out}")
    crashed = result.status < 0
    cell.check(not crashed or cell.shared[name] < 0, f"{name}: ended by signal {-result.status}")
    cell.check(cell.stock or crashed or result.status == 0 or result.err, f"{name}: no message")


def run_damaged(cell, path, *arguments):
    """As a shell sees it: what the kernel does not take ends with 126, what is not there with 127."""
    try:
        return cell.run(path, *arguments, status=None, keep=False)
    except OSError as error:
        if not cell.stock:
            raise
        return Result(127 if isinstance(error, FileNotFoundError) else 126, "", error.strerror)


@feature("damaged programs", untouched=True)
def damaged_programs(cell):
    for name, data in damaged((cell.probes / "identity").read_bytes()):
        path = cell.write("program", data, 0o755)
        outcome(cell, name, run_damaged(cell, path, "arguments"))
    for path, status in ((cell.write("unexecutable", b"", 0o644), 126), (cell.directory, 126),
                         (cell.directory / "nowhere", 127)):
        result = run_damaged(cell, path)
        cell.check(result.status == status, f"{path.name}: ends with {result.status}")
        cell.check(result.err, f"{path.name}: no message")


@feature("damaged libraries", untouched=True)
def damaged_libraries(cell):
    for name, data in damaged((cell.probes / "choice1/libprobe_choice.so").read_bytes()):
        cell.write("libprobe_choice.so", data, 0o755)
        result = cell.run(cell.probes / "choice", env={"LD_LIBRARY_PATH": cell.directory}, status=None,
                          keep=False)
        outcome(cell, name, result)
        if cell.shared[name] == 127:  # the stock loader has a message for this
            cell.note(cell.without_loader(result.err))


@feature("exit status and signals")
def ends(cell):
    for status in (0, 1, 42, 126, 127, 255):
        cell.run(cell.probes / "ends", "status", status, status=status)
    cell.run(cell.probes / "ends", "main", 3, status=3)
    cell.run(cell.probes / "ends", "at once", 4, status=4)
    cell.run(cell.probes / "ends", "abort", status=-signal.SIGABRT)
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGINT, signal.SIGKILL):
        cell.run(cell.probes / "ends", "signal", int(number), status=-number)


@feature("a signal from outside ends the program")
def killed(cell):
    server = cell.start(cell.probes / "waits", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    cell.check(server.stdout.readline() == b"ready\n", "does not start")
    cell.stop(server, signal.SIGTERM, "waits", status=-signal.SIGTERM)


@feature("input and output through pipes")
def pipes(cell):
    cell.probe("pipes", input="")
    cell.probe("pipes", input="line\n" * 100000)


@feature("plans: no place for them", untouched=True)
def no_place(cell):
    for variables in ({"XDG_CACHE_HOME": "/proc/nowhere"}, {"XDG_CACHE_HOME": "", "HOME": ""},
                      {"XDG_CACHE_HOME": "relative"}):
        result = cell.probe("calls_lazy", env=variables, keep=False)
        cell.note(result.out)


@feature("plans: damaged, cut off, empty")
def damaged_plans(cell):
    place = cell.directory / "plans"
    variables = {"XDG_CACHE_HOME": place}
    cell.run(cell.probes / "calls_lazy", env=variables)
    for damage in (lambda data: b"", lambda data: data[:len(data) // 2], lambda data: data[:-1],
                   lambda data: bytes(255 - byte for byte in data),
                   lambda data: data[:64] + bytes(byte ^ 1 for byte in data[64:])):
        for path in [*place.rglob("*")] if place.exists() else []:
            if path.is_file():
                path.write_bytes(damage(path.read_bytes()))
        cell.probe("calls_lazy", env=variables)


@feature("plans: many starts at once, none cached")
def at_once(cell):
    variables = {"XDG_CACHE_HOME": cell.directory / "plans"}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(cell.run, cell.probes / "exceptions", cell.probes, env=variables,
                            keep=False) for _ in range(8)]
        for run in runs:
            cell.note(run.result().out)
    shutil.rmtree(cell.directory / "plans", ignore_errors=True)
