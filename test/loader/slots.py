#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares every word that the stock loader writes when it starts a program with what it writes when the
program is planned: relocation by relocation, as library and address in its file, before anything of the
program runs. Exits with 1 if there is a difference.

    slots.py --ld sartor-ld --probes DIRECTORY [--passes LIST]... PROGRAM-OR-DIRECTORY...
"""

import argparse
import bisect
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

COPY, JUMP_SLOT = 5, 7
Word = collections.namedtuple("Word", "address kind value before")


class Object:
    def __init__(self, name, base):
        self.name = name
        self.base = base
        self.segments = []  # address in the file, size, address in memory
        self.words = []

    def in_memory(self, address):
        """Where an address of the file is; its end, where something else may begin, last."""
        for exact in (True, False):
            for begin, size, now in self.segments:
                if begin <= address < begin + size + (0 if exact else 4096):
                    return now + (address - begin)
        return None

    def in_file(self, place, exact=True):
        for begin, size, now in self.segments:
            if now <= place < now + size + (0 if exact else 1):
                return begin + (place - now)
        return None


class Report:
    """What a process has told of itself."""

    def __init__(self, path):
        self.objects = []
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                kind, *rest = line.split()
                if kind == "O":
                    self.objects.append(Object(" ".join(rest[:-1]), int(rest[-1], 16)))
                elif kind == "S":
                    self.objects[-1].segments.append(tuple(int(each, 16) for each in rest))
                else:
                    self.objects[-1].words.append(Word(int(rest[0], 16), int(rest[1]),
                                                       int(rest[2], 16), int(rest[3], 16)))
        self.ranges = sorted((now, now + size, index) for index, each in enumerate(self.objects)
                             for _, size, now in each.segments)

    def owner(self, value, own):
        """Of which object, and where in its file, a value is an address; None if of none."""
        at = bisect.bisect_right(self.ranges, (value, sys.maxsize, 0)) - 1
        if at >= 0 and value < self.ranges[at][1]:
            index = self.ranges[at][2]
            return index, self.objects[index].in_file(value)
        address = self.objects[own].in_file(value, exact=False)
        return None if address is None else (own, address)


def compare(stock, planned):
    """What is different, and how much of each kind has been compared."""
    wrong, counts = [], collections.Counter()
    names = [each.name for each in stock.objects], [each.name for each in planned.objects]
    if names[0] != names[1]:
        return [f"other libraries: {set(names[0]) ^ set(names[1])}"], counts
    for index, (one, other) in enumerate(zip(stock.objects, planned.objects)):
        if [word[:2] for word in one.words] != [word[:2] for word in other.words]:
            wrong.append(f"{one.name}: other relocations")
            continue
        for before, after in zip(one.words, other.words):
            counts["all"] += 1
            owner = stock.owner(before.value, index)
            if owner is None:
                is_same = before.value == after.value
                if not is_same and planned.owner(after.value, index) is None and before.value > 4096:
                    counts["elsewhere"] += 1  # for example on the stack
                    is_same = before.kind == COPY or "ld-linux" in one.name
            else:
                is_same = after.value == planned.objects[owner[0]].in_memory(owner[1])
            if not is_same and before.kind == JUMP_SLOT and \
                    after.value == (other.in_memory(after.before) or 0):
                counts["to be bound"] += 1
                is_same = True
            if not is_same:
                whose = stock.objects[owner[0]].name + f"+{owner[1]:x}" if owner else "nothing"
                wrong.append(f"{one.name}+{before.address:x}, type {before.kind}: {before.value:x} "
                             f"({whose}) is now {after.value:x} ({planned.owner(after.value, index)})")
    return wrong, counts


class Run:
    def __init__(self, setting, work):
        self.ld = setting.ld
        self.preload = setting.probes / "libprobe_slots.so"
        self.work = work
        self.to = work / "told"
        self.cache = work / "cache"

    def run(self, command, at_once):
        self.to.unlink(missing_ok=True)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.work), "SLOTS_TO": str(self.to),
                       "XDG_CACHE_HOME": str(self.cache), "LD_PRELOAD": str(self.preload)}
        if at_once:
            environment["LD_BIND_NOW"] = "1"
        ended = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300,
                               check=False)
        if ended.returncode != 0 or not self.to.exists():
            text = ended.stderr.decode(errors="replace").strip() or f"ends with {ended.returncode}"
            return text.splitlines()[-1], None
        return "", Report(self.to)

    def stock(self, program):
        why, report = self.run([program], True)
        return (True, report) if report else (False, self.run([program], False)[1])

    def planned(self, program, passes, at_once):
        return self.run([self.ld, f"--passes={passes}", "--strict", "--", program], at_once)


def is_dynamic(path):
    """A program that starts by the stock loader, and may be planned."""
    try:
        status = os.stat(path)
        if not path.is_file() or status.st_mode & 0o6000 or not os.access(path, os.X_OK):
            return False
        with open(path, "rb") as file:
            return b"/lib64/ld-linux-x86-64.so.2" in file.read(4096)
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description="Compares all that the stock loader writes.")
    parser.add_argument("--ld", required=True, type=pathlib.Path)
    parser.add_argument("--probes", required=True, type=pathlib.Path)
    parser.add_argument("--passes", action="append", metavar="LIST")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    setting = parser.parse_args()
    programs = [program for each in setting.programs
                for program in (sorted(each.iterdir()) if each.is_dir() else [each])]
    # Each file once, under any of its names.
    programs = list({os.stat(each).st_ino: each for each in programs if is_dynamic(each)}.values())
    failed, total = 0, collections.Counter()
    with tempfile.TemporaryDirectory(prefix="sartor-slots-") as work:
        run = Run(setting, pathlib.Path(work))
        for program in programs:
            is_bound, stock = run.stock(program)
            if stock is None:
                print(f"{program}: the stock loader does not start it")
                continue
            for passes in setting.passes or ["settle", "bind,concat,settle"]:
                for at_once in (False, True) if is_bound else (False,):
                    why, planned = run.planned(program, passes, at_once)
                    wrong, counts = compare(stock, planned) if planned else ([why], {})
                    total.update(counts)
                    if at_once and counts and counts["to be bound"]:
                        wrong.append(f"{counts['to be bound']} are not bound at once")
                    failed += bool(wrong)
                    for line in wrong[:8]:
                        print(f"{program}: {passes}: {line}", flush=True)
            subprocess.run(["rm", "-rf", run.cache], check=True)
    print(f"{len(programs)} programs, " + ", ".join(f"{count} {what}" for what, count in total.items())
          + f", {failed} starts differ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
