#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front, helper, planner, and the process that the planner looks at: each is killed at each of its system
calls, and has each kind of them refused. Whatever happens, the program gives what it gives by the stock
loader, or nothing and a status that says so; nobody and nothing is left, and the next start is right.

    faults.py --ld sartor-ld --probes DIRECTORY --faults PROGRAM [--every NUMBER] [--planners-every NUMBER]
"""

import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

KILLED = 137
REFUSED = 126
ERRORS = ("EPERM", "ENOSYS", "ENOMEM")
# Whoever may not end, return from a handler or be executed cannot do anything else either.
NEVER_REFUSED = {15: "rt_sigreturn", 59: "execve", 60: "exit", 231: "exit_group"}
# A helper that is killed while it changes a program takes it along: that long, in system calls.
LONGEST_RISK = 45

Start = collections.namedtuple("Start", "status out err")
Seen = collections.namedtuple("Seen", "calls done is_left kinds")


class Trials:
    def __init__(self, setting, work):
        self.ld = str(setting.ld)
        self.faults = str(setting.faults)
        self.program = str(setting.probes / "state")
        self.work = work
        self.cache = work / "cache"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(work), "XDG_CACHE_HOME": str(self.cache)}
        self.expected = self.run([self.program])
        self.wrong = []

    def run(self, command):
        try:
            done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=30)
        except subprocess.TimeoutExpired:
            return Start("hangs", b"", b"")
        return Start(done.returncode, done.stdout, done.stderr)

    def is_right(self, start):
        return (start.status, start.out) == (self.expected.status, self.expected.out)

    def run_with(self, role, how, number, options):
        report = self.work / "report"
        report.unlink(missing_ok=True)
        start = self.run([self.faults, str(report), role, how, str(number), self.ld, *options, self.program])
        if start.status == 77:
            print("skipped: the kernel does not hand system calls to others")
            sys.exit(77)
        if not report.exists():
            return start, Seen(0, 0, True, [])
        calls, done, is_left, *kinds = map(int, report.read_text().split())
        return start, Seen(calls, done, bool(is_left), kinds)

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def make_ready(self, is_cold):
        if is_cold:
            self.forget()
        elif not self.is_right(self.run([self.ld, "--strict", self.program])):
            raise SystemExit("FAILED: it does not start at all")

    def judge(self, what, start, seen, statuses):
        """Adds what is wrong."""
        may_be = (start.status in statuses and start.out == b"") or self.is_right(start)
        if not may_be:
            self.wrong.append(f"{what}: {start}")
        if seen.is_left:
            self.wrong.append(f"{what}: somebody is left")
        strays = [path.name for path in self.cache.rglob("*")
                  if path.is_file() and path.suffix not in (".image", ".lock")]
        if strays:
            self.wrong.append(f"{what}: {strays} are left")

    def judge_next(self, what, may_be_noted):
        """`may_be_noted`: that it cannot be planned, for some minutes."""
        after = self.run([self.ld, "--strict", self.program])
        if may_be_noted and after.status == REFUSED:
            after = self.run([self.ld, self.program])
            self.forget()
        if not self.is_right(after):
            self.wrong.append(f"{what}, the next start: {after}")

    def kill(self, role, is_cold, options, every, statuses):
        counts = collections.Counter()
        name = f"kill {role}{' when it is planned' if is_cold else ''} {' '.join(options)}".strip()
        number = 1
        while True:
            self.make_ready(is_cold)
            start, seen = self.run_with(role, "kill", number, options)
            if seen.calls < number and not seen.is_left:
                break
            what = f"{name} at {number}"
            self.judge(what, start, seen, statuses)
            self.judge_next(what, may_be_noted=False)
            counts[start.status] += 1
            number += every
        print(f"{name}: {dict(counts)}", flush=True)
        if not counts:
            self.wrong.append(f"{name}: nothing was tried")
        return counts

    def refuse(self, role, is_cold, options, only, statuses):
        name = f"refuse {role}{' when it is planned' if is_cold else ''} {' '.join(options)}".strip()
        self.make_ready(is_cold)
        kinds = [kind for kind in self.run_with(role, "kill", 0, options)[1].kinds if kind not in NEVER_REFUSED]
        counts = collections.Counter()
        for place, (kind, error) in enumerate((kind, error) for kind in kinds for error in ERRORS):
            if place % only:
                continue
            self.make_ready(is_cold)
            start, seen = self.run_with(role, error, kind, options)
            what = f"{name}: call {kind} by {error}"
            self.judge(what, start, seen, statuses)
            self.judge_next(what, may_be_noted=True)
            counts[start.status] += 1
            if start.status != 0 and "--strict" not in options:
                print(f"  {what}: {start.status} {start.err.decode(errors='replace').strip()}")
        print(f"{name}: {dict(counts)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ld", required=True, type=pathlib.Path)
    parser.add_argument("--probes", required=True, type=pathlib.Path)
    parser.add_argument("--faults", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="of the calls of front and helper, every n-th")
    parser.add_argument("--planners-every", type=int, default=1, help="likewise of the planner")
    setting = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sartor-faults-") as work:
        trials = Trials(setting, pathlib.Path(work))
        for options in ([], ["--strict"]):
            may_refuse = (REFUSED,) if options else ()
            trials.kill("front", False, options, setting.every, (KILLED,))
            counts = trials.kill("helper", False, options, setting.every, (KILLED, *may_refuse))
            if not options and counts[KILLED] * setting.every > LONGEST_RISK + setting.every:
                trials.wrong.append(f"a killed helper takes the program along at {counts[KILLED]} calls")
            for role, every in (("front", setting.every), ("planner", setting.planners_every),
                                ("subject", setting.planners_every)):
                trials.kill(role, True, options, every, (KILLED,) if role == "front" else may_refuse)
            for role, is_cold in (("front", False), ("helper", False), ("front", True), ("planner", True),
                                  ("subject", True)):
                only = setting.planners_every if is_cold else setting.every
                trials.refuse(role, is_cold, options, only, may_refuse)
    for line in trials.wrong:
        print("FAILED:", line)
    sys.exit(1 if trials.wrong else 0)


if __name__ == "__main__":
    main()
