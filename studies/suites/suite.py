# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts beside this one share: a run with a time limit, parts, and the line that each part ends with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# The caller's settings must not change how a program is specialized.
OURS = ("SARTOR", "SARTOR_EVENT_LOG", "LUA_SARTOR", "SQLITE_SARTOR", "PCRE2_SARTOR", "QUICKJS_SARTOR")
SKIPPED = 77
MOST_STOCK_RUNS = 8


@dataclass
class Ended:
    """How a program ended, and what it wrote to both of its outputs."""

    how: str
    output: bytes
    seconds: float


def start_as_from_a_terminal() -> None:
    """A job in the background ignores the keyboard, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(
    words: list[str | Path],
    directory: Path,
    seconds: float,
    environment: dict[str, str] | None = None,
    given: bytes | None = None,
) -> Ended:
    """Runs a program in a group of its own. What is left of that group at the end, or at the time limit, is killed."""
    around = {name: value for name, value in os.environ.items() if name not in OURS}
    around.update(environment or {})
    began = time.monotonic()
    # A pipe: some tests need an input that is not seekable.
    program = subprocess.Popen(
        [str(word) for word in words],
        cwd=directory,
        env=around,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=start_as_from_a_terminal,
    )
    try:
        output, _ = program.communicate(given, timeout=seconds)
        how = f"ended with {program.returncode}"
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        output, _ = program.communicate()
        how = f"does not end within {seconds:.0f} s"
    finally:
        try:
            os.killpg(program.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return Ended(how, output, time.monotonic() - began)


# Failures by which code is interpreted that would be specialized otherwise: it is not tested then.
UNTESTED = ("compile_timeout", "compile_memory", "compiler_lost", "quarantined")


@dataclass
class Made:
    """Variants of a handler that became active, and requests that failed for a reason in UNTESTED."""

    variants: int = 0
    untested: int = 0

    def add(self, log: Path, handler: str) -> None:
        """Adds what an event log has, and removes it."""
        if not log.exists():
            return
        text = log.read_text(errors="replace")
        self.variants += text.count(f'"event":"switch","handler":"{handler}"')
        for line in text.split("\n"):
            self.untested += '"event":"failure"' in line and any(f'"{code}"' in line for code in UNTESTED)
        log.unlink()

    def __str__(self) -> str:
        return f"{self.variants} variants" + (f", {self.untested} UNTESTED" if self.untested else "")


def first_difference(wanted: list[str], got: list[str]) -> str:
    for number, (one, other) in enumerate(zip(wanted, got)):
        if one != other:
            return f"line {number + 1}:\n    stock: {one}\n    ours:  {other}"
    return f"{len(wanted)} lines by stock, {len(got)} by ours, the same as far as both go"


def lines(ended: Ended) -> list[str]:
    """What a program wrote, and how it ended."""
    return [*ended.output.decode(errors="backslashreplace").split("\n"), ended.how]


def compare(once: Callable[[], Ended], ours: Ended) -> tuple[str | None, Ended]:
    """The first difference from runs by stock, without the lines in which these differ: two runs, and more of them
    before a difference is reported, as a line may depend on one random bit. Returns a run by stock, too."""
    stock = [once(), once()]
    while (differs := difference([lines(ended) for ended in stock], lines(ours))) and len(stock) < MOST_STOCK_RUNS:
        stock.append(once())
    return differs, stock[0]


def difference(stock: list[list[str]], ours: list[str]) -> str | None:
    first = stock[0]
    if any(len(each) != len(first) for each in [*stock, ours]):
        return None if ours in stock else first_difference(first, ours)
    steady = [index for index in range(len(first)) if all(each[index] == first[index] for each in stock)]
    if all(first[index] == ours[index] for index in steady):
        return None
    return first_difference([first[index] for index in steady], [ours[index] for index in steady])


class Report:
    """Parts of a suite: a line for each, and what becomes of all of them."""

    def __init__(self, suite: str) -> None:
        self.suite, self.cases, self.differences, self.untested = suite, 0, 0, 0

    def part(self, name: str, cases: int, differences: int, made: Made, more: str = "") -> None:
        self.cases += cases
        self.differences += differences
        self.untested += made.untested
        print(f"{self.suite} {name}: {cases} cases, {differences} differ, {made}, {more}", flush=True)

    def not_run(self, name: str, why: str) -> None:
        print(f"{self.suite} {name}: not run: {why}", flush=True)

    def end(self) -> int:
        print(f"{self.suite}: {self.cases} cases, {self.differences} differ", flush=True)
        if self.untested:
            print(f"{self.suite}: {self.untested} requests were interpreted: too slow a machine, or one that quarantined them")
        return 1 if self.differences or self.untested or not self.cases else 0


def skip(why: str) -> int:
    print(f"SKIPPED: {why}", file=sys.stderr)
    return SKIPPED
