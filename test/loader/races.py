#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many starts at once, with nothing planned: of one program, of different ones, by make. Each gives what it
gives by the stock loader, and each program is planned once.

    races.py --ld sartor-ld --probes DIRECTORY [--at-length]
"""

import argparse
import collections
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

# A pass that records each planning: its time, and the program.
COUNTS = """
#include <sartor/loader/pass.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  sartor_library program;
  char line[4200];
  struct timespec now;
  if (operations->library(image, 0, &program) != 0)
    return "there is no program";
  clock_gettime(CLOCK_REALTIME, &now);
  const int size =
      snprintf(line, sizeof line, "%lld.%09ld %s\\n", (long long)now.tv_sec, now.tv_nsec, program.path);
  const int file = open(getenv("COUNTS_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int is_written = write(file, line, (size_t)size) == size;
  close(file);
  return is_written ? NULL : "it cannot be counted";
}
const struct sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI, .name = "counts", .run = run};
"""
STARTS = 50
PROGRAMS = ("bash", "cat", "date", "dd", "df", "diff", "du", "gawk", "git", "grep", "ls", "openssl version", "perl",
            "readelf", "sed", "sort", "sqlite3", "tar", "xz", "zstd")
SOURCE_FILES = 24
# A planner that begins within about a second of another one must find that its program is planned. One that comes later,
# on a machine that is busy, may plan it again.
SECONDS_BETWEEN = 0.9


class Races:
    def __init__(self, setting, work):
        self.work = work
        self.counts = work / "counts"
        self.cache = work / "cache"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(work), "XDG_CACHE_HOME": str(self.cache),
                            "COUNTS_FILE": str(self.counts), "LC_ALL": "C"}
        self.wrong = []
        (work / "passes").mkdir()
        (work / "counts.c").write_text(COUNTS)
        include = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{include}", work / "counts.c", "-o", work / "passes/counts.so"],
                       check=True)
        (work / "counts.toml").write_text(
            f'passes = ["bind", "concat", "counts"]\ndirectories = ["{work}/passes"]\n')
        self.front = [str(setting.ld), f"--config={work}/counts.toml"]

    def start(self, command):
        return subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)

    def end_of(self, process):
        try:
            out, _ = process.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            process.kill()
            return "hangs", b""
        return process.returncode, out

    def times(self):
        """The times at which each program was planned."""
        times = collections.defaultdict(list)
        for line in self.counts.read_text().splitlines() if self.counts.exists() else []:
            at, _, program = line.partition(" ")
            times[program].append(float(at))
        return times

    def is_anyone_left(self):
        """Whether somebody plans, or is about to: all have the path of the configuration or of the cache."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if os.fsencode(self.work) in path.read_bytes():
                    return True
            except OSError:
                pass
        return False

    def planned(self, expected):
        """What was planned at which times; when nobody plans any more."""
        end = time.monotonic() + 240
        quiet = 0
        while time.monotonic() < end:
            images = len(list(self.cache.rglob("*.image")))
            is_done = len(self.times()) >= expected and images >= expected and not self.is_anyone_left()
            quiet = quiet + 1 if is_done else 0
            if quiet == 5:  # a process that executes another program has no command line for a moment
                break
            time.sleep(0.1)
        return self.times()

    def race(self, name, commands, options):
        """All at once; `commands` of different programs, each some times."""
        shutil.rmtree(self.cache, ignore_errors=True)
        self.counts.unlink(missing_ok=True)
        different = [list(words) for words in dict.fromkeys(map(tuple, commands))]
        expected = {tuple(words): self.end_of(self.start(words)) for words in different}
        running = [(words, self.start([*self.front, *options, "--", *words])) for words in commands]
        for words, process in running:
            end = self.end_of(process)
            if end != expected[tuple(words)]:
                self.wrong.append(f"{name}: {words}: {end}")
        self.count(name, len(different))

    def count(self, name, different):
        planned = self.planned(different)
        is_again = any(later - earlier < SECONDS_BETWEEN for times in planned.values()
                       for earlier, later in itertools.pairwise(sorted(times)))
        if len(planned) != different or is_again:
            self.wrong.append(f"{name}: planned {dict(planned)}")
        strays = [path.name for path in self.cache.rglob("*")
                  if path.is_file() and path.suffix not in (".image", ".lock")]
        if strays:
            self.wrong.append(f"{name}: {strays} are left")
        print(f"{name}: {different} planned", flush=True)

    def make(self):
        """Objects of some files, compiled eight at a time."""
        made = []
        for name, compiler in (("stock", "gcc"), ("planned", " ".join([*self.front, "--", "gcc"]))):
            shutil.rmtree(self.cache, ignore_errors=True)
            self.counts.unlink(missing_ok=True)
            folder = self.work / name
            folder.mkdir()
            for i in range(SOURCE_FILES):
                (folder / f"f{i}.c").write_text(
                    f'#include <stdio.h>\nint f{i}(int n) {{ return printf("%d", n + {i}); }}\n')
            objects = " ".join(f"f{i}.o" for i in range(SOURCE_FILES))
            (folder / "Makefile").write_text(f"all: {objects}\n")
            end = self.end_of(self.start(["make", "-j8", "-C", str(folder), f"CC={compiler}", "CFLAGS=-O1"]))
            if end[0] != 0:
                self.wrong.append(f"make {name}: {end}")
            made.append({path.name: path.read_bytes() for path in folder.glob("*.o")})
        if made[0] != made[1]:
            self.wrong.append("make: other objects")
        self.count("make -j8", 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ld", required=True, type=pathlib.Path)
    parser.add_argument("--probes", required=True, type=pathlib.Path)
    parser.add_argument("--at-length", action="store_true")
    setting = parser.parse_args()
    state = str(setting.probes / "state")
    with tempfile.TemporaryDirectory(prefix="sartor-races-") as work:
        os.chmod(work, 0o755)
        races = Races(setting, pathlib.Path(work))
        copies = []
        for i in range(20 if setting.at_length else 5):
            copies.append([shutil.copy(state, f"{work}/program{i}")])
        for options in ([], ["--strict"]):
            name = " ".join(options) or "lenient"
            races.race(f"one program, {name}", [[state]] * STARTS, options)
            races.race(f"programs, {name}", copies * 2, options)
            if setting.at_length:
                there = [words for words in map(str.split, PROGRAMS) if shutil.which(words[0], path="/usr/bin:/bin")]
                races.race(f"Debian's programs, {name}",
                           [words if len(words) > 1 else [*words, "--version"] for words in there], options)
        if setting.at_length:
            races.make()
    for line in races.wrong:
        print("FAILED:", line)
    sys.exit(1 if races.wrong else 0)


if __name__ == "__main__":
    main()
