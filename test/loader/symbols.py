#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads images as other tools do: readelf, llvm-readelf, nm and gdb. Each function of a library is in the image by its
name, with the library's bytes except where passes change them; static probes and their semaphores are at the right
places; build ids are there. `sartor ld probe` prints the same places, and its errors name their reason.

    symbols.py --ld sartor-ld --sartor sartor --probes DIRECTORY
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TIMEOUT = 120
LONGEST_CHANGE = 7  # bytes of one instruction that a pass may change
Symbol = collections.namedtuple("Symbol", "value size kind bind")
Note = collections.namedtuple("Note", "provider name location semaphore arguments")


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"FAILED: {command} ends with {done.returncode}: {done.stderr}")
    return done.stdout


def symbols_of(path, *options):
    found = collections.defaultdict(list)
    for line in output("readelf", "-W", *options, path).splitlines():
        words = line.split()
        if len(words) > 7 and re.fullmatch(r"\d+:", words[0]) and words[6] != "UND":
            found[words[7]].append(Symbol(int(words[1], 16), int(words[2], 0), words[3], words[4]))
    return found


def segments_of(path):
    segments = []
    for line in output("readelf", "-lW", path).splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            segments.append(tuple(int(words[i], 16) for i in (1, 2, 4)) + ("W" in words[6],))
    return segments


def offset_of(segments, address):
    for offset, begin, size, _ in segments:
        if begin <= address < begin + size:
            return offset + address - begin
    return None


def static_probes_of(path):
    pattern = r"Provider: (\S+)\s+Name: (\S+)\s+Location: (\w+), Base: \w+, Semaphore: (\w+)\s+Arguments: (.*)"
    return [Note(provider, name, int(location, 16), int(semaphore, 16), arguments)
            for provider, name, location, semaphore, arguments in re.findall(pattern, output("readelf", "-nW", path))]


def build_id_of(path):
    found = re.search(r"Build ID: (\w+)", output("readelf", "-nW", path))
    return found.group(1) if found else ""


def longest_difference(one, other):
    longest = run = 0
    for a, b in zip(one, other):
        run = 0 if a == b else run + 1
        longest = max(longest, run)
    return longest


class Checks:
    def __init__(self, setting, work):
        self.setting = setting
        self.work = work
        self.wrong = []

    def check(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def image_of(self, *command):
        cache = tempfile.mkdtemp(dir=self.work)
        os.environ["XDG_CACHE_HOME"] = cache
        output(self.setting.ld, "--strict", *command)
        (image,) = pathlib.Path(cache).rglob("*.image")
        return image

    def sartor(self, *arguments):
        done = subprocess.run([self.setting.sartor, "ld", *map(str, arguments)], capture_output=True, text=True,
                              timeout=TIMEOUT)
        return done.returncode, done.stdout, done.stderr

    def library(self, what, image, symbols, note, is_changed):
        """Compares one library's functions with those of the image."""
        content, own = image.read_bytes(), pathlib.Path(note["path"]).read_bytes()
        segments = segments_of(note["path"])
        self.check(note["build_id"] == build_id_of(note["path"]), f"{what}: another build id")
        is_loader = note["name"].startswith("ld-linux")
        compared = 0
        for name, entries in symbols_of(note["path"], "--dyn-syms").items():
            # name@@version is the default version.
            of_image = symbols.get(f"{note['name']}!{name.partition('@@')[0]}", [])
            for symbol in entries:
                if symbol.kind != "FUNC":
                    continue
                begin = offset_of(segments, symbol.value)
                wanted = own[begin:begin + symbol.size]
                changes = [longest_difference(wanted, content[each.value:each.value + each.size])
                           for each in of_image if (each.kind, each.size) == ("FUNC", symbol.size)]
                limit = 0 if not is_changed and not is_loader else LONGEST_CHANGE
                self.check(changes and min(changes) <= limit, f"{what}: {name} is {of_image}, {changes}")
                compared += 1
        return compared

    def names(self, what, image, symbols):
        """A plain name is there if one address has it."""
        addresses = collections.defaultdict(set)
        for name, entries in symbols.items():
            if "!" in name and "@" not in name:
                addresses[name.partition("!")[2]].update(each.value for each in entries)
        for name, values in addresses.items():
            plain = symbols.get(name, [])
            if len(values) == 1:
                self.check(len(plain) == 1 and plain[0].value in values and plain[0].bind == "GLOBAL",
                           f"{what}: {name} is {plain}")
            else:
                self.check(not plain, f"{what}: {name} is at several places, and {plain}")
        by_nm = {line.split()[-1] for line in output("nm", image).splitlines()}
        self.check(by_nm == set(symbols), f"{what}: nm finds others: {list(by_nm ^ set(symbols))[:5]}")
        for reader in ("llvm-readelf-" + os.environ.get("SARTOR_LLVM", "22"), "llvm-readelf"):
            if shutil.which(reader):
                count = len(re.findall(r"(?m)^ +\d+: .*!", output(reader, "-sW", image)))
                ours = sum(len(entries) for name, entries in symbols.items() if "!" in name)
                self.check(count == ours, f"{what}: {reader} finds {count} symbols, not {ours}")
                output(reader, "-a", image)
                break

    def image(self, program, options):
        what = f"{os.path.basename(program)} {' '.join(options)}"
        image = self.image_of(*options, program, *(["-c", ":"] if program.endswith("bash") else []))
        output("readelf", "-aW", image)  # without warnings
        symbols = symbols_of(image, "-s")
        self.names(what, image, symbols)
        libraries = json.loads(self.sartor("show", "--json", image)[1])["libraries"]
        compared = sum(self.library(f"{what}: {note['name']}", image, symbols, note, options == [])
                       for note in libraries)
        print(f"{what}: {len(symbols)} names, {compared} functions of {len(libraries)} files")
        self.check(compared > 2000, f"{what}: {compared} functions are few")
        # No start maps the tables.
        headers = output("readelf", "-SW", image)
        tables = int(re.search(r"\.symtab\s+SYMTAB\s+\w+ (\w+)", headers).group(1), 16)
        self.check(all(offset + size <= tables and offset == address for offset, address, size, _ in
                       segments_of(image)), f"{what}: segments {segments_of(image)}")
        return image, symbols

    def static_probes(self, image, symbols, library):
        content, own = image.read_bytes(), pathlib.Path(library).read_bytes()
        segments, of_library = segments_of(image), segments_of(library)
        ours, theirs = static_probes_of(image), static_probes_of(library)
        self.check([note._replace(location=0, semaphore=0) for note in ours] ==
                   [note._replace(location=0, semaphore=0) for note in theirs], f"{ours} instead of {theirs}")
        (work,) = symbols["libprobe_traced.so!traced_work"]
        for note, original in zip(ours, theirs):
            begin = offset_of(of_library, original.location)
            self.check(work.value <= note.location < work.value + work.size and
                       content[note.location] == own[begin] == 0x90, f"{note} is elsewhere")
            (semaphore,) = symbols[f"{note.provider}_{note.name}_semaphore"]
            self.check(note.semaphore == semaphore.value, f"{note}: its semaphore is {semaphore}")
            self.check(any(offset <= note.semaphore < offset + size and is_writable
                           for offset, _, size, is_writable in segments), f"{note}: its semaphore is not in data")
        return ours

    def places(self, image, program, library, symbols, notes):
        """What `sartor ld probe` prints is what the tables have."""
        (work,) = symbols["libprobe_traced.so!traced_work"]
        own = symbols_of(library, "--dyn-syms")["traced_work"][0]
        offset = offset_of(segments_of(library), own.value)
        worked = next(note for note in notes if note.name == "worked")
        for arguments, wanted in (
            (["traced_work"], [f"{library}:{offset:#x}", f"{image}:{work.value:#x}"]),
            (["traced_work", "--", program], [f"{image}:{work.value:#x}"]),
            (["traced_work", "--images", image.parent, "--format=bpftrace"],
             [f"uprobe:{library}:{own.value:#x}", f"uprobe:{image}:{work.value:#x}"]),
            (["traced_work", program, "--format=perf"], [f"perf probe -x {image} {work.value:#x}"]),
            (["traced:worked", program], [f"{image}:{worked.location:#x}({worked.semaphore:#x})"]),
            (["traced:worked", program, "--format=bpftrace"], [f"usdt:{image}:traced:worked"]),
        ):
            status, out, err = self.sartor("probe", library, *arguments)
            self.check(status == 0 and out.splitlines() == wanted, f"ld probe {arguments}: {out}{err}")
        odd = self.work / "a `b` $(c) \"d\" 'e'"
        odd.mkdir(exist_ok=True)
        copy = shutil.copy(library, odd)
        status, out, err = self.sartor("probe", copy, "traced_work", "--format=perf")
        said = subprocess.run(["sh", "-c", 'perf() { printf "%s\\n" "$3"; }; ' + out], capture_output=True, text=True)
        self.check(status == 0 and said.stdout.splitlines()[:1] == [str(copy)], f"ld probe {copy}: {out}{err}{said}")
        for arguments, code, reason in (
            ([library, "nothing"], "bad_elf", "has no function nothing"),
            ([library, "traced:nothing"], "bad_elf", "has no static probe traced:nothing"),
            ([self.libc, "memcpy"], "bad_elf", "chooses one of several functions"),
            ([library, "traced_work", "--", "/bin/sh"], "file_error", "has no image that contains traced_work"),
            ([library, "traced_work", "--", "/nowhere"], "file_error", "cannot be found"),
            (["/etc/passwd", "main"], "bad_elf", "is no ELF file"),
        ):
            status, out, err = self.sartor("probe", *arguments)
            self.check(status == 1 and not out and f"sartor: {code}: " in err and reason in err,
                       f"ld probe {arguments}: {status} {out}{err}")

    def odd(self, program):
        """A program with executable data, which the kernel maps: only its libraries are in the image."""
        path = pathlib.Path(program + "_odd")
        data = bytearray(pathlib.Path(program).read_bytes())
        table, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
        for at in range(table, table + 56 * count, 56):
            kind, flags = struct.unpack_from("<II", data, at)
            if kind == 1 and flags & 2:
                struct.pack_into("<I", data, at + 4, flags | 1)
        path.write_bytes(data)
        path.chmod(0o755)
        image = self.image_of(path)
        symbols = symbols_of(image, "-s")
        self.check("main" not in symbols and "libc.so.6!malloc" in symbols, f"{path}: {len(symbols)} symbols")
        for name in ("main", "traced_step"):
            lines = self.sartor("probe", path, name)[1].splitlines()
            self.check([line.rpartition(":")[0] for line in lines] == [str(path)], f"ld probe {path}: {lines}")

    def debugger(self):
        """gdb finds functions in a process with packed libraries, and in its core."""
        program, core = self.setting.probes / "waits", str(self.work / "core")
        command = ["gdb", "-nx", "-iex", "set debuginfod enabled off", "-batch"]
        look = ["-ex", "info symbol malloc", "-ex", "info symbol work_waits", "-ex", "bt"]
        process = subprocess.Popen([self.setting.ld, "--strict", program], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        process.stdout.readline()

        def debug(*arguments):
            return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=TIMEOUT)

        done = debug("-p", str(process.pid), *look, "-ex", f"generate-core-file {core}")
        process.communicate()
        if "ptrace: Operation not permitted" in done.stderr:
            print("gdb may not attach")
            return
        for what, text in (("attached", done.stdout), ("core", debug(str(program), core, *look).stdout)):
            for wanted in (r"malloc in section \.text of \S*libc\.so",
                           r"work_waits in section \.text of \S*libprobe_work", r"(?m)^#\d.* main "):
                self.check(re.search(wanted, text), f"gdb, {what}: no {wanted} in {text}")

    def run(self):
        names = ("traced", "traced_fixed", "libprobe_traced.so")
        program, fixed, library = (str(shutil.copy(self.setting.probes / name, self.work)) for name in names)
        self.libc = re.search(r"=> (\S*/libc\.so\S*)", output("ldd", program)).group(1)
        for each in (program, fixed, "/bin/bash"):
            for options in (["--passes="], []):
                image, symbols = self.image(each, options)
                if each != "/bin/bash":
                    notes = self.static_probes(image, symbols, library)
                    self.places(image, each, library, symbols, notes)
        self.odd(program)
        if shutil.which("gdb"):
            self.debugger()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ld", type=pathlib.Path, required=True)
    options.add_argument("--sartor", type=pathlib.Path, required=True)
    options.add_argument("--probes", type=pathlib.Path, required=True)
    with tempfile.TemporaryDirectory() as work:
        checks = Checks(options.parse_args(), pathlib.Path(work).resolve())
        checks.run()
    sys.exit("\n".join(f"FAILED: {line}" for line in checks.wrong[:30]) if checks.wrong else 0)


if __name__ == "__main__":
    main()
