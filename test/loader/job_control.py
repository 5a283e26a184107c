#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Job control: an interactive bash at a terminal stops, continues, interrupts and waits for programs, at the
moment of their start and later. What is on the terminal in the end is what is there by the stock loader.

    job_control.py --ld sartor-ld [--scripts NUMBER] [--seed NUMBER]
"""

import argparse
import fcntl
import os
import pathlib
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PROMPT = "@@ "
AT_START = (0, 0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.006, 0.009)
LATER = 0.2
STOP, INTERRUPT, QUIT, END = "\x1a", "\x03", "\x1c", "\x04"
MORE_TRIES = 6
TRIES_OF_BOTH = 12

# Scripts of typed input. A pair is a key, and when it is pressed once a job has the terminal: None is at some moment
# of its start. "<text>" waits until the terminal shows that. %S is some signal.
SCRIPTS = {
    "stop, continue behind": ["run sleep 30", (STOP, None), "jobs", "bg", "kill %1", "wait %1; echo s=$?"],
    "stop, continue before": ["run sleep 1", (STOP, None), "echo s=$?", "fg", "echo s=$?"],
    "stop twice": ["run sleep 1", (STOP, None), "fg", (STOP, None), "jobs", "fg", "echo s=$?"],
    "interrupt": ["run sleep 30", (INTERRUPT, None), "echo s=$?"],
    "quit": ["ulimit -c 0; run sleep 30", (QUIT, None), "echo s=$?"],
    "interrupt later": ["run sleep 30", (INTERRUPT, LATER), "echo s=$?"],
    "stopped by another": ["run sleep 1 &", "kill -STOP %1", "sleep 1; jobs", "kill -CONT %1",
                           "wait %1; echo s=$?"],
    "stopped and continued at once": ["run sleep 0.2 & kill -STOP %1; kill -CONT %1", "wait %1; echo s=$?"],
    "stopped at once, continued before": ["run sleep 1 & kill -STOP %1", "sleep 1; jobs", "fg", "echo s=$?"],
    "killed at once": ["run sleep 30 & kill -%S %1; wait %1; echo s=$?", "jobs"],
    "killed later": ["run sleep 30 &", "sleep 0.1; kill -%S %1; wait %1; echo s=$?", "jobs"],
    "killed while stopped": ["run sleep 30", (STOP, None), "kill -%S %1; kill -CONT %1 2>/dev/null; wait %1; echo s=$?"],
    "pipeline": ["run echo a | run cat | run cat; echo s=${PIPESTATUS[*]}"],
    "pipeline, stopped": ["run sleep 2 | run cat", (STOP, LATER), "jobs", "fg", "echo s=$?"],
    "pipeline, interrupted": ["run sleep 30 | run cat", (INTERRUPT, LATER), "echo s=${PIPESTATUS[*]}"],
    "trap": ["run bash -c 'trap \"echo got; exit 7\" INT; echo rea\"\"dy; while :; do sleep 0.05; done'", "<ready>",
             (INTERRUPT, LATER), "echo s=$?"],
    "stops itself": ["run sh -c 'kill -TSTP $$; echo on'", "echo s=$?", "jobs", "fg", "echo s=$?"],
    "reads behind": ["run cat &", "sleep 1; jobs", "fg", ("hello\n", LATER), (END, LATER), "echo s=$?"],
    "writes behind": ["stty tostop", "run echo x &", "sleep 1; jobs", "fg", "stty -tostop; echo s=$?"],
    "without job control": ["set +m; run sleep 0.1 & wait $!; echo s=$?; set -m"],
    "status": ["run sh -c 'exit 3' & wait %1; echo s=$?", "(run sh -c 'exit 5'); echo s=$?"],
    "group": ["run sh -c 'read -r _ _ _ _ g _ _ t _ </proc/self/stat; test $g = $t && echo before'",
              "run sh -c 'read -r _ _ _ _ g _ _ t _ </proc/self/stat; test $g = $t || echo behind' & wait; echo s=$?"],
    "children": ["trap 'echo chi\"\"ld' CHLD", "run sh -c 'exit 2'", "trap - CHLD"],
    "waits for any": ["run sh -c 'exit 4' & run sleep 2 & wait -n; echo s=$?; wait; echo s=$?"],
    "typed": ["run cat", ("hello\n", LATER), (END, LATER), "echo s=$?"],
}
SIGNALS = ("TERM", "INT", "HUP", "KILL", "USR1", "QUIT", "PIPE", "ALRM")


class Terminal:
    """A bash that thinks that somebody sits there."""

    def __init__(self, folder, environment):
        self.shown = ""
        self.shell, self.file = pty.fork()
        if self.shell == 0:
            os.chdir(folder)
            # Python ignores the first, and a parent that starts this in the background may ignore the others.
            for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], environment)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        self.wait_for(PROMPT)

    def read(self, seconds):
        if not select.select([self.file], [], [], seconds)[0]:
            return
        try:
            self.shown += os.read(self.file, 65536).decode(errors="replace")
        except OSError:
            raise TimeoutError from None

    def wait_for(self, text, begin=0):
        end = time.monotonic() + 120
        while text not in self.shown[begin:]:
            if time.monotonic() > end:
                raise TimeoutError
            self.read(0.5)

    def is_shell(self, process):
        try:
            return process == self.shell or os.readlink(f"/proc/{process}/exe").endswith(("/bash", "/dash"))
        except OSError:
            return False

    def press(self, key, moment, begin, is_ready):
        """When a job has the terminal, and is no shell any more: those lose keys by themselves. At once if the job has
        said that it is ready, or if the prompt after `begin` shows that it has ended."""
        end = time.monotonic() + 120
        while (not is_ready and PROMPT not in self.shown[begin:] and self.is_shell(os.tcgetpgrp(self.file))
               and time.monotonic() < end):
            self.read(0)
        at = time.monotonic() + moment
        while time.monotonic() < at:
            self.read(0.01 if at - time.monotonic() > 0.02 else 0)
        os.write(self.file, key.encode())

    def play(self, steps):
        begin = len(self.shown)
        for place, step in enumerate(steps):
            if isinstance(step, tuple):
                before = steps[place - 1] if place > 0 else ""
                self.press(*step, begin, isinstance(before, str) and before.startswith("<"))
            elif step.startswith("<"):
                self.wait_for(step[1:-1], begin)
                continue
            else:
                begin = len(self.shown)
                os.write(self.file, (step + "\n").encode())
            following = steps[place + 1] if place + 1 < len(steps) else ""
            if not isinstance(following, tuple) and not following.startswith("<"):
                self.wait_for(PROMPT, begin)
            if isinstance(step, tuple):
                begin = len(self.shown)

    def end(self):
        os.close(self.file)
        os.kill(self.shell, signal.SIGKILL)
        os.waitpid(self.shell, 0)


def transcript(folder, environment, steps):
    terminal = Terminal(folder, environment)
    try:
        terminal.play(steps)
        note = ""
    except TimeoutError:
        note = "HANGS"
    terminal.end()
    text = re.sub(r"(?m)^(\[\d+\][ +-]*) ?\d+\r?$", r"\1 ID", terminal.shown)
    return re.sub(r": line \d+: +\d+ ", ": ID ", text) + note


def draw(chance, name):
    """A script with its moments and signals."""
    of_script = chance.choice(SIGNALS)
    steps = []
    for step in SCRIPTS[name]:
        if isinstance(step, tuple):
            steps.append((step[0], chance.choice(AT_START) if step[1] is None else step[1]))
        else:
            steps.append(step.replace("%S", of_script))
    return steps


def differs(work, environments, steps):
    """Returns what the stock loader shows and what ours does, if they differ, and the number of more tries. The order
    of events may differ by itself, rarely on a machine that does much else: so both are tried in turns, and ours
    differs if it does twice what the stock loader never does."""
    stock, planned = environments
    may_be = [transcript(work, stock, steps)]
    ours = [transcript(work, planned, steps)]
    while ours[0] not in may_be and len(may_be) <= MORE_TRIES:
        may_be.append(transcript(work, stock, steps))
    if ours[0] not in may_be:
        for _ in range(TRIES_OF_BOTH):
            may_be.append(transcript(work, stock, steps))
            ours.append(transcript(work, planned, steps))
    outside = [each for each in ours if each not in may_be]
    hangs = [each for each in outside if "HANGS" in each]
    if hangs or len(outside) > 1:
        return (may_be[0], (hangs or outside)[0]), len(may_be) - 1
    return None, len(may_be) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ld", required=True, type=pathlib.Path)
    parser.add_argument("--scripts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    setting = parser.parse_args()
    chance = random.Random(setting.seed)
    wrong = []
    again = 0
    with tempfile.TemporaryDirectory(prefix="sartor-jobs-") as work:
        environments = []
        for way, front in (("stock", ""), ("planned", f"{setting.ld.resolve()} --strict -- ")):
            folder = pathlib.Path(work) / way
            folder.mkdir()
            run = folder / "run"
            run.write_text(f'#!/bin/sh\nexec {front}"$@"\n')
            run.chmod(0o755)
            environments.append({"PATH": f"{folder}:/usr/bin:/bin", "HOME": work, "XDG_CACHE_HOME": f"{work}/cache",
                                 "PS1": PROMPT, "TERM": "dumb", "LC_ALL": "C", "HISTFILE": ""})
        planned = environments[1]
        for program in ("sleep", "cat", "echo", "sh", "bash"):  # so that all are planned
            subprocess.run([setting.ld, "--strict", "--", program, "--version"], env=planned, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        names = list(SCRIPTS)
        chance.shuffle(names)
        for number in range(setting.scripts):
            name = names[number % len(names)]
            steps = draw(chance, name)
            difference, more = differs(work, environments, steps)
            again += more
            if difference:
                wrong.append(f"{name} {steps}:\n--- stock\n{difference[0]}\n--- planned\n{difference[1]}")
    print(f"job control: {setting.scripts} scripts, {again} times more by the stock loader")
    for line in wrong:
        print("FAILED:", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
