#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches the same probes to a program that the stock loader starts and to one that `sartor-ld --observable` starts,
and compares how often they fire: uprobes on the C library, a library and the program, and a static probe that is
only reached while its semaphore is set. Then attaches them to the image of a packed program, at the places that
`sartor ld probe` prints, and by name with bpftrace and perf. Exits with 77 where the kernel has no uprobes or they may
not be used.

    tracing.py --ld sartor-ld --sartor sartor --probes DIRECTORY
"""

import argparse
import collections
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TRACING = pathlib.Path("/sys/kernel/tracing")
CODE = re.compile(r"^\S+ r-xp (\S+) \S+ \S+\s+(/\S+)$", re.MULTILINE)

Probe = collections.namedtuple("Probe", "name path offset semaphore")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def works(*command):
    """Whether a tool is here and may be used; says so if not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except OSError as error:
        done = subprocess.CompletedProcess(command, 1, "", str(error))
    if done.returncode != 0:
        print(f"skipped: {command[0]} cannot be used here: {done.stderr.strip()}")
    return done.returncode == 0


def offset_in(path, address):
    """The offset in a file of what is at an address."""
    for line in output("readelf", "-lW", path).splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, begin, size = (int(words[i], 16) for i in (1, 2, 4))
            if begin <= address < begin + size:
                return offset + address - begin
    raise LookupError(f"{path} has nothing in its file at {address:#x}")


def function(name, path, symbol):
    for line in output("readelf", "-sW", path).splitlines():
        words = line.split()
        if len(words) > 7 and words[3] == "FUNC" and words[6] != "UND" and words[7].split("@")[0] == symbol:
            return Probe(name, path, offset_in(path, int(words[1], 16)), None)
    raise LookupError(f"{path} has no function {symbol}")


def static_probe(name, path, label):
    notes = output("readelf", "-nW", path)
    found = re.search(rf"Name: {label}\n\s*Location: (\w+), Base: \w+, Semaphore: (\w+)", notes)
    location, semaphore = (int(number, 16) for number in found.groups())
    return Probe(name, path, offset_in(path, location), offset_in(path, semaphore) if semaphore else None)


def library_of(program, name):
    return re.search(rf"=> (\S*/{re.escape(name)}\S*)", output("ldd", program)).group(1)


class Trace:
    """Probes that are counted in one process."""

    def __init__(self, probes):
        self.group = f"sartor_test_{os.getpid()}"
        self.place = TRACING / "instances" / self.group
        self.probes = probes

    def __enter__(self):
        self.place.mkdir()
        for probe in self.probes:
            at = f"{probe.path}:{probe.offset:#x}" + (f"({probe.semaphore:#x})" if probe.semaphore else "")
            self.define(f"p:{self.group}/{probe.name} {at}")
        return self

    def define(self, line):
        events = os.open(TRACING / "uprobe_events", os.O_WRONLY | os.O_APPEND)
        try:
            os.write(events, line.encode())
        finally:
            os.close(events)

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.enable(0)
        self.place.rmdir()
        for probe in self.probes:
            self.define(f"-:{self.group}/{probe.name}")

    def enable(self, on):
        (self.place / "events" / self.group / "enable").write_text(str(on))

    def counts(self, command):
        """The output of a command, and how often each probe fires in its process."""
        (self.place / "trace").write_text("")
        events = self.place / "events" / self.group
        (events / "filter").write_text("common_pid == 0")
        self.enable(1)
        begin = f'echo "common_pid == $$" >{events}/filter; exec "$@"'
        printed = output("sh", "-c", begin, "sh", *command)
        self.enable(0)
        fired = collections.Counter(re.findall(r"^[^#].*?: (\w+): \(", (self.place / "trace").read_text(),
                                               re.MULTILINE))
        return printed, {probe.name: fired[probe.name] for probe in self.probes}


def bpftrace_counts(command, library, libc, names=("traced_work", "getppid")):
    script = (f"uprobe:{library}:{names[0]} /pid == cpid/ {{ @work = count(); }} "
              f"uretprobe:{library}:{names[0]} /pid == cpid/ {{ @returned = count(); }} "
              f"uprobe:{libc}:{names[1]} /pid == cpid/ {{ @getppid = count(); }}")
    printed = output("bpftrace", "-e", script, "-c", " ".join(command))
    return sorted(line for line in printed.splitlines() if line.startswith("@"))


def bpftrace_static_counts(command, path, label):
    """bpftrace finds static probes of files that no process has mapped yet only without -c."""
    script = (f'BEGIN {{ printf("ready\\n"); }} '
              f'usdt:{path}:{label} /comm == "traced"/ {{ @worked = count(); @sum = sum(arg0); }}')
    process = subprocess.Popen(["bpftrace", "-B", "none", "-e", script], stdout=subprocess.PIPE, text=True)
    try:
        while (line := process.stdout.readline()) and line.strip() != "ready":
            pass
        printed = output(*command)
        process.send_signal(signal.SIGINT)
        lines = process.communicate(timeout=300)[0].splitlines()
    finally:
        process.kill()
    return printed, sorted(line for line in lines if line.startswith("@"))


def places_of(sartor, path, symbol, *program):
    """What `sartor ld probe` prints: for each place, a file, an offset and a semaphore's offset."""
    places = []
    for line in output(sartor, "ld", "probe", path, symbol, *program).splitlines():
        place, offset, semaphore = re.fullmatch(r"(.*):(0x\w+)(?:\((0x\w+)\))?", line).groups()
        places.append((place, int(offset, 16), int(semaphore, 16) if semaphore else None))
    return places


def code_files(command):
    """The files that a process has mapped as code. The last word of the command prints them."""
    return {path for _, path in CODE.findall(output(*command))}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ld", type=pathlib.Path, required=True)
    options.add_argument("--sartor", type=pathlib.Path, required=True)
    options.add_argument("--probes", type=pathlib.Path, required=True)
    setting = options.parse_args()
    wrong = []

    def compare(what, ours, stock):
        print(f"{what}: {ours}")
        if ours != stock:
            wrong.append(f"{what}: {ours}, by the stock loader {stock}")

    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = work
        names = ("traced", "traced_fixed", "libprobe_traced.so")
        program, fixed, library = (str(shutil.copy(setting.probes / name, work)) for name in names)
        libc = library_of(program, "libc.so")
        ways = {"helper": [str(setting.ld), "--observable", "--strict"],
                "in place": [str(setting.ld), "--observable", "--strict", "--in-place"]}

        # Code is mapped from the files that have it, except the pages of the stock loader that are changed.
        command = [str(setting.sartor), "run", "--observable", "--strict", "--"]
        for name, way in {**ways, "sartor run": command}.items():
            ours = code_files([*way, "/bin/cat", "/proc/self/maps"])
            stock = code_files(["/bin/cat", "/proc/self/maps"])
            if not stock <= ours:
                wrong.append(f"{name}: no code is mapped from {sorted(stock - ours)}")

        if os.geteuid() != 0 or not os.access(TRACING / "uprobe_events", os.W_OK):
            print("skipped: uprobes cannot be used here (tracefs is missing, or this is not root)")
            sys.exit("\n".join(wrong) if wrong else 77)
        for traced in (program, fixed):
            probes = [function("step", traced, "traced_step"), function("work", library, "traced_work"),
                      static_probe("worked", library, "worked"), function("malloc", libc, "malloc"),
                      function("getppid", libc, "getppid")]
            with Trace(probes) as trace:
                stock = trace.counts([traced])
                if stock[1]["step"] != 60 or stock[1]["worked"] != 100:
                    wrong.append(f"the stock loader: {stock}")
                for name, way in ways.items():
                    trace.counts([*way, traced])  # plans it
                    compare(f"{os.path.basename(traced)}, {name}", trace.counts([*way, traced]), stock)

        # Without the option, code is packed in an image, which `sartor ld probe` finds.
        packed = [str(setting.ld), "--strict", program]
        output(*packed)
        for path, symbol in ((program, "main"), (library, "traced_work"), (library, "traced:worked"),
                             (libc, "getppid")):
            places = places_of(setting.sartor, path, symbol)
            probes = [Probe(f"place{i}", *place) for i, place in enumerate(places)]
            with Trace(probes) as trace:
                stock = trace.counts([program])
                for way in (packed, [packed[0], "--in-place", *packed[1:]]):
                    ours = trace.counts(way)
                    compare(f"{symbol}, packed", (ours[0], sum(ours[1].values())),
                            (stock[0], sum(stock[1].values())))
                    if ours[1]["place0"] != 0 or len(places) < 2:
                        wrong.append(f"{symbol} is not packed: {places}")
        ((image, getppid, _),) = places_of(setting.sartor, libc, "getppid", "--", program)
        if works("perf", "probe", "-l"):
            for name in ("getppid", os.path.basename(libc) + "!getppid"):
                defined = output("perf", "probe", "-q", "-x", image, "-D", f"place={name}").strip()
                compare(f"perf, {name}", int(defined.rpartition(":")[2], 16), getppid)
        if works("bpftrace", "-e", "BEGIN { exit(); }"):
            stock = bpftrace_counts([program], library, libc)
            if stock != ["@getppid: 60", "@returned: 100", "@work: 100"]:
                wrong.append(f"bpftrace prints {stock}")
            compare("bpftrace", bpftrace_counts([*ways["helper"], program], library, libc), stock)
            names = [f'"{os.path.basename(path)}!{name}"'
                     for path, name in ((library, "traced_work"), (libc, "getppid"))]
            for by in (("traced_work", "getppid"), names):
                compare(f"bpftrace, packed, by {by[0]}", bpftrace_counts(packed, image, image, by), stock)
            stock = bpftrace_static_counts([program], library, "traced:worked")
            if stock[1] != ["@sum: 2550", "@worked: 100"]:
                wrong.append(f"bpftrace prints {stock}")
            compare("bpftrace, packed, static", bpftrace_static_counts(packed, image, "traced:worked"), stock)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
