#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are stopped, and helpers that are killed, at any moment of a start. Whatever happens, a
program gives what it gives by the stock loader, or nothing at all and a status that says so; none hangs,
and none goes on where it was told to stop.

    interrupts.py --ld sartor-ld --probes DIRECTORY [--rounds NUMBER]
"""

import argparse
import collections
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds, in which one of the rounds must be in time


def children_of(process):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def wait(seconds):
    """Sleeping would be too long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def kill_helper(process, front):
    """True if there was one, and it has been killed."""
    end = time.monotonic() + 0.005
    while time.monotonic() < end:
        for child in children_of(process.pid):
            wait(random.random() * 0.0015)
            try:
                if os.readlink(f"/proc/{child}/exe") != str(front):
                    return False
                os.kill(child, signal.SIGKILL)
                return True
            except OSError:
                return False
    return False


def stop_and_go_on(process):
    """True if it has been stopped, which it stays until it is told to go on."""
    wait(random.random() * 0.004)
    os.kill(process.pid, random.choice((signal.SIGSTOP, signal.SIGTSTP)))  # Popen would wait for it
    report = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if report.si_code != os.CLD_STOPPED:
        return False
    time.sleep(0.02)
    has_ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    os.kill(process.pid, signal.SIGCONT)
    if has_ended:
        raise AssertionError("a stopped program has gone on")
    return True


class Trials:
    def __init__(self, setting, environment):
        self.command = [str(setting.ld), str(setting.probes / "state")]
        self.front = setting.ld.resolve()
        self.environment = environment
        self.expected = self.run([self.command[1]])[1]
        self.wrong = []

    def run(self, command, interrupt=None):
        process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            interrupted = interrupt(process) if interrupt else False
            out, _ = process.communicate(timeout=120)
        except (subprocess.TimeoutExpired, AssertionError) as why:
            process.kill()
            process.communicate()
            return True, None, str(why)
        return interrupted, out, process.returncode

    def try_all(self, what, rounds, interrupt, statuses):
        for option in ([], ["--strict"]):
            command = [self.command[0], *option, self.command[1]]
            self.run([self.command[0], "--strict", self.command[1]])  # so that both are planned
            while self.run(command)[1] != self.expected:
                pass
            counts = collections.Counter()
            was_tried = False
            end = time.monotonic() + PATIENCE
            # On a machine that is busy, this process may always come too late for a while.
            while counts.total() < rounds or (not was_tried and time.monotonic() < end):
                interrupted, out, status = self.run(command, interrupt)
                counts[(interrupted, status)] += 1
                was_tried |= interrupted
                is_right = out == self.expected if status == 0 else out == b"" and status in statuses
                if not is_right:
                    self.wrong.append(f"{what} {option}: {status}, {out}")
            print(what, " ".join(option) or "lenient", dict(counts))
            if not was_tried:
                self.wrong.append(f"{what} {option}: nothing was tried")

    def try_strictly(self, rounds, interrupt):
        """What must start as planned does, or does not start."""
        command = [self.command[0], "--strict", "/bin/grep", "-c", r"\.image$", "/proc/self/maps"]
        expected = self.run(command)[1]
        counts = collections.Counter()
        for _ in range(rounds):
            interrupted, out, status = self.run(command, interrupt)
            counts[(interrupted, status, out)] += 1
            if out not in (expected, b""):
                self.wrong.append(f"it is not as planned: {status}, {out}")
        print("kill the helper, how it starts", dict(counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ld", required=True, type=pathlib.Path)
    parser.add_argument("--probes", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=100)
    setting = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory(prefix="sartor-interrupts-") as work:
        trials = Trials(setting, {"PATH": "/usr/bin:/bin", "HOME": work, "XDG_CACHE_HOME": work})
        # While the helper changes the program, the program is killed with it.
        trials.try_all("kill the helper", setting.rounds,
                       lambda process: kill_helper(process, trials.front), (126, -signal.SIGKILL))
        trials.try_strictly(setting.rounds, lambda process: kill_helper(process, trials.front))
        trials.try_all("stop the program", setting.rounds, stop_and_go_on, ())
    for line in trials.wrong:
        print("FAILED:", line)
    sys.exit(1 if trials.wrong else 0)


if __name__ == "__main__":
    main()
