#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front, helper, planner, and the process that the planner looks at: each is killed at each of its system
calls, and has each kind of them refused. Whatever happens, the program gives what it gives by the stock
loader, or nothing and a status that says so; nobody and nothing is left, and the next start is right.
What the front is refused, the stock loader may be, too: then it may end as it does by that one.

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
# A process that cannot exit, return from a handler or be executed cannot do anything else either.
NEVER_REFUSED = {15: "rt_sigreturn", 59: "execve", 60: "exit", 231: "exit_group"}
# Faults that are always tried, because they have found errors.
RENAME = 82
ALWAYS_KILLED = {"planner": (61, RENAME)}  # 61: wait4
ALWAYS_REFUSED = {"front": (1, 3), "helper": (1,), "planner": (62,)}  # write, close; write; kill
# The program dies with a helper that is killed while it changes the program. This is the length of that time in
# system calls, if those are filtered, as they are here. The helper replaces the program's first instructions by code,
# which runs there: to hold signals (2), write it (3), run it from call to call (19), put back the original (3), and
# let go (3). One more call is an earlier test whether the program would die with it.
LONGEST_RISK = 31

Start = collections.namedtuple("Start", "status out err")
Seen = collections.namedtuple("Seen", "calls done is_left made")


class Trials:
    def __init__(self, setting, work):
        self.ld = str(setting.ld)
        self.faults = str(setting.faults)
        self.program = shutil.copy(setting.probes / "state", work)
        self.work = work
        self.cache = work / "cache"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(work), "XDG_CACHE_HOME": str(self.cache)}
        self.expected = self.run([self.program])
        self.stock_refused = {}
        self.wrong = []

    def run(self, command):
        try:
            done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=300)
        except subprocess.TimeoutExpired:
            return Start("hangs", b"", b"")
        return Start(done.returncode, done.stdout, done.stderr)

    def is_right(self, start, expected=None):
        expected = expected or self.expected
        return (start.status, start.out) == (expected.status, expected.out)

    def run_with(self, role, how, number, options):
        return self.do_harm(role, how, number, [self.ld, *options, self.program])

    def of_stock_loader(self, kind, error):
        """What comes of the program where that one is refused a kind of calls."""
        if (kind, error) not in self.stock_refused:
            self.stock_refused[kind, error] = self.do_harm("loader", error, kind, [self.program])[0]
        return self.stock_refused[kind, error]

    def do_harm(self, role, how, number, command):
        report = self.work / "report"
        report.unlink(missing_ok=True)
        start = self.run([self.faults, str(report), role, how, str(number), *command])
        if start.status == 77:
            print("skipped: the kernel does not hand system calls to others")
            sys.exit(77)
        if not report.exists():
            return start, Seen(0, 0, True, [])
        calls, done, is_left, *made = map(int, report.read_text().split())
        return start, Seen(calls, done, bool(is_left), made)

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def make_ready(self, is_cold):
        if is_cold:
            self.forget()
        elif not self.is_right(self.run([self.ld, "--strict", self.program])):
            raise SystemExit("FAILED: it does not start at all")

    def judge(self, what, start, seen, statuses, stock=None):
        """Adds what is wrong. `stock`: what may come of it besides."""
        may_be = (start.status in statuses and start.out == b"") or self.is_right(start)
        may_be = may_be or (stock is not None and stock.status != "hangs" and self.is_right(start, stock))
        if not may_be:
            self.wrong.append(f"{what}: {start}")
        if seen.is_left:
            self.wrong.append(f"{what}: somebody is left")
        self.judge_cache(what)

    def judge_cache(self, what):
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

        def is_killed(how, number):
            self.make_ready(is_cold)
            start, seen = self.run_with(role, how, number, options)
            if not seen.done and not seen.is_left:
                return False
            what = f"{name}, {how} at {number}"
            self.judge(what, start, seen, statuses)
            self.judge_next(what, may_be_noted=False)
            counts[start.status] += 1
            return True

        number = 1
        while is_killed("kill", number):
            number += every
        for kind in ALWAYS_KILLED.get(role, ()) if every > 1 and not options else ():
            number = 1
            while is_killed(f"kill{kind}", number):
                number += 1
        print(f"{name}: {dict(counts)}", flush=True)
        if not counts:
            self.wrong.append(f"{name}: nothing was tried")
        return counts

    def kill_when_replaced(self):
        """What is left of one that is about to take another's place goes with the next."""
        self.make_ready(False)
        pathlib.Path(self.program).touch()
        start, seen = self.run_with("planner", f"kill{RENAME}", 1, ["--strict"])
        what = "kill planner when an image is replaced"
        if not seen.done or seen.is_left or (start.status, start.out) != (REFUSED, b""):
            self.wrong.append(f"{what}: {start}, {seen.done} killed, somebody is left: {seen.is_left}")
        self.judge_next(what, may_be_noted=False)
        self.judge_cache(what)

    def refuse(self, role, is_cold, options, only, statuses):
        name = f"refuse {role}{' when it is planned' if is_cold else ''} {' '.join(options)}".strip()
        self.make_ready(is_cold)
        kinds = sorted(set(self.run_with(role, "kill", 0, options)[1].made) - set(NEVER_REFUSED))
        always = [(kind, ERRORS[0]) for kind in ALWAYS_REFUSED.get(role, ())]
        counts = collections.Counter()
        for place, (kind, error) in enumerate((kind, error) for kind in kinds for error in ERRORS):
            if place % only and (kind, error) not in always:
                continue
            self.make_ready(is_cold)
            start, seen = self.run_with(role, error, kind, options)
            what = f"{name}: call {kind} by {error}"
            self.judge(what, start, seen, statuses, self.of_stock_loader(kind, error) if role == "front" else None)
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
    parser.add_argument("--every", type=int, default=1, help="of the calls of front and helper, about every n-th")
    parser.add_argument("--planners-every", type=int, default=1, help="likewise of the planner")
    setting = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sartor-faults-") as work:
        trials = Trials(setting, pathlib.Path(work))
        trials.kill_when_replaced()
        for options in ([], ["--strict"]):
            may_refuse = (REFUSED,) if options else ()
            trials.kill("front", False, options, setting.every, (KILLED,))
            counts = trials.kill("helper", False, options, setting.every if options else 1, (KILLED, *may_refuse))
            if not options and counts[KILLED] > LONGEST_RISK:
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
