#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Image files that are damaged: flipped bits and bytes, pages that are swapped or gone, files cut off or
grown. Damage to what a start reads is noticed by it: the program gives what it gives by the stock loader,
and the image is made anew. Damage to what is only mapped, or only read by tracers, is found by `sartor ld check`, which
deletes the image; no image is started whose mapped content is damaged.

    damage.py --ld sartor-ld --sartor sartor --probes DIRECTORY [--cases NUMBER] [--seed NUMBER]
"""

import argparse
import collections
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

PAGE = 4096
PLAN = 4096  # offset of the plan
BATCH = 25


class Image:
    """What is where in a sound one. See loader/lib/format/image_format.h."""

    def __init__(self, data):
        self.data = data
        words = struct.unpack_from("<38Q", data, PLAN)
        self.plan = range(PLAN, PLAN + words[1])
        self.tables = range(words[36], len(data))
        first, count = PLAN + words[22], words[23]
        self.body = []
        for at in range(first, first + 48 * count, 48):
            _, size, offset, _, _, flags, _ = struct.unpack_from("<QQQQIIQ", data, at)
            if not flags & (2 | 8):  # zeros, or of another file
                self.body += range(offset, offset + size, PAGE)


class Damage:
    """Ways to spoil bytes; each gives what has come of them, and what has been done."""

    def __init__(self, image, chance):
        self.image = image
        self.chance = chance

    def put(self, at, piece):
        data = self.image.data
        return data[:at] + bytes(piece) + data[at + len(piece):]

    def spoil(self, where):
        """Some of the bytes of a range: a bit, a byte, a word."""
        at = self.chance.choice(where)
        size = self.chance.choice((1, 1, 1, 8))
        size = min(size, where.stop - at)
        kind = self.chance.choice(("bit", "ones", "zeros", "noise"))
        old = self.image.data[at:at + size]
        new = {"bit": bytes([old[0] ^ 1 << self.chance.randrange(8)]), "ones": b"\xff" * size, "zeros": bytes(size),
               "noise": self.chance.randbytes(size)}[kind]
        return self.put(at, new), f"{kind} at {at}"

    def header(self):
        return self.spoil(range(0, PAGE))

    def tables(self):
        return self.spoil(self.image.tables)

    def plan(self):
        if self.chance.randrange(8) == 0:
            at = self.chance.choice(range(self.image.plan.start, self.image.plan.stop, PAGE))
            return self.put(at, bytes(min(PAGE, self.image.plan.stop - at))), f"plan's page {at} gone"
        if self.chance.randrange(8) == 0:
            other = self.chance.choice(self.image.body)
            return self.swap(PLAN, other)
        return self.spoil(self.image.plan)

    def swap(self, one, other):
        data = bytearray(self.image.data)
        data[one:one + PAGE], data[other:other + PAGE] = data[other:other + PAGE], data[one:one + PAGE]
        return bytes(data), f"pages {one} and {other} swapped"

    def size(self):
        data = self.image.data
        kind = self.chance.randrange(3)
        if kind == 0:
            size = self.chance.choice((0, 1, 63, PLAN - 1, PLAN, PLAN + 1, self.image.plan.stop - 1, len(data) - 1,
                                       len(data) - PAGE))
        elif kind == 1:
            size = self.chance.randrange(len(data))
        else:
            more = self.chance.choice((1, 8, PAGE, 1 << 20))
            return data + bytes(more), f"{more} more"
        return data[:size], f"cut off at {size}"

    def body(self):
        page = self.chance.choice(self.image.body)
        kind = self.chance.randrange(6)
        if kind == 0:
            return self.put(page, bytes(PAGE)), f"page {page} gone"
        if kind == 1:
            return self.swap(page, self.chance.choice(self.image.body))
        return self.spoil(range(page, page + PAGE))


class Trials:
    """Of one image: that of a program which is started with some options."""

    def __init__(self, setting, work, options):
        self.options = options
        self.ld, self.sartor = str(setting.ld), str(setting.sartor)
        self.program = str(setting.probes / "state")
        self.work = work
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(work), "XDG_CACHE_HOME": str(work / "cache")}
        self.expected = self.run([self.program])
        self.wrong = []
        self.counts = collections.Counter()
        start = self.run([self.ld, "--strict", self.program]) if options else self.start_leniently()
        if start[:2] != self.expected[:2]:
            raise SystemExit(f"FAILED: it does not start at all: {start}")
        (self.path,) = (self.work / "cache").rglob("*.image")
        self.image = Image(self.path.read_bytes())
        self.mode = self.path.stat().st_mode & 0o777

    def start_leniently(self):
        """Until it is planned, which may go on in the background."""
        start = self.run([self.ld, self.program])
        end = time.monotonic() + 120
        while not any((self.work / "cache").rglob("*.image")) and time.monotonic() < end:
            time.sleep(0.02)
        return start

    def run(self, command):
        try:
            done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=120)
        except subprocess.TimeoutExpired:
            return "hangs", b"", b""
        return done.returncode, done.stdout, done.stderr

    def write(self, path, data):
        """With holes where there are whole pages of zeros."""
        path.unlink(missing_ok=True)
        with open(path, "xb") as file:
            for at in range(0, len(data), PAGE):
                page = data[at:at + PAGE]
                if page.count(0) != len(page):
                    file.seek(at)
                    file.write(page)
            file.truncate(len(data))
        os.chmod(path, self.mode)

    def start(self, what, data, must_be_noticed):
        self.write(self.path, data)
        damaged = self.path.stat().st_ino, self.path.stat().st_mtime_ns
        start = self.run([self.ld, *self.options, self.program])
        if start[:2] != self.expected[:2]:
            self.wrong.append(f"{what} {self.options}: {start}")
        end = time.monotonic() + 120
        while must_be_noticed and self.path.exists():
            if (self.path.stat().st_ino, self.path.stat().st_mtime_ns) != damaged:
                break
            if time.monotonic() > end:
                self.wrong.append(f"{what} {self.options}: it is not noticed")
                break
            time.sleep(0.02)

    def check(self, batch):
        folder = self.work / "batch"
        folder.mkdir(exist_ok=True)
        for number, (_, data) in enumerate(batch):
            self.write(folder / f"{number:016x}.image", data)
        sound = folder / f"{len(batch):016x}.image"
        self.write(sound, self.image.data)
        status, out, err = self.run([self.sartor, "ld", "check", str(folder)])
        if status != 1 or f"1 sound, {len(batch)} damaged".encode() not in out:
            self.wrong.append(f"ld check: {status} {out[-200:]} {err}")
        for number, (what, _) in enumerate(batch):
            path = folder / f"{number:016x}.image"
            if path.exists():
                self.wrong.append(f"{what}: ld check does not find it")
                path.unlink()
        if not sound.exists():
            self.wrong.append("ld check has deleted a sound one")
        sound.unlink(missing_ok=True)  # the next batch may be shorter
        self.write(self.path, self.image.data)
        self.start("what is sound", self.image.data, False)

    def all(self, cases, seed):
        damage = Damage(self.image, random.Random(seed))
        ways = [damage.plan] * 6 + [damage.size] * 3 + [damage.header] * 2 + [damage.tables] * 2 + [damage.body] * 7
        batch = []
        for number in range(cases):
            way = ways[number * 7 % len(ways)]  # all ways occur soon
            data, what = way()
            while data == self.image.data:
                data, what = way()
            self.counts[way.__name__] += 1
            if way in (damage.body, damage.tables, damage.header):
                batch.append((what, data))
            if way not in (damage.body, damage.tables):
                self.start(f"{way.__name__}: {what}", data, way != damage.header)
            if len(batch) == BATCH or (batch and number == cases - 1):
                self.check(batch)
                batch = []
        print("damage", *self.options, dict(self.counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ld", required=True, type=pathlib.Path)
    parser.add_argument("--sartor", required=True, type=pathlib.Path)
    parser.add_argument("--probes", required=True, type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    setting = parser.parse_args()
    wrong = []
    for options, share in (["--strict"], 4), ([], 1):
        with tempfile.TemporaryDirectory(prefix="sartor-damage-") as work:
            trials = Trials(setting, pathlib.Path(work), options)
            trials.all(setting.cases * share // 5, setting.seed + share)
            wrong += trials.wrong
    for line in wrong:
        print("FAILED:", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
