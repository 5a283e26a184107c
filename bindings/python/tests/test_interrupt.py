# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C, and other signals whose handlers raise, while an exploration is under way."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable

import pytest

import sartor

SOON = 120  # seconds; far below the normal duration of the explorations here


@pytest.fixture
def runtime(library):
    with sartor.Runtime(library) as runtime:
        runtime.specialize({"rows": 16})
        yield runtime


def endless(runtime: sartor.Runtime, objective: sartor.Objective | None = None, **options) -> sartor.Explorer:
    """One that would go on for hours."""
    noise = itertools.cycle([1.0, 3.0, 2.0, 5.0, 4.0])
    objective = objective or sartor.Objective.value_of(lambda: next(noise))
    limits = {"most_samples": 10**9, "most_trials": 10**9, "tolerance": 0.0, "choices": {"columns": []}}
    return sartor.Explorer(runtime, objective, **{**limits, **options})


def interrupt_when(condition: Callable[[], bool], number: signal.Signals = signal.SIGINT, after: float = 0.5) -> None:
    """Interrupts a while after the condition has become true, or after a minute.

    The time alone would not do: on a busy machine, the signal might come before what it is to interrupt.
    """

    def wait():
        end = time.monotonic() + 60
        while not condition() and time.monotonic() < end:
            time.sleep(0.005)
        time.sleep(after)
        os.kill(os.getpid(), number)

    threading.Thread(target=wait, daemon=True).start()


def interrupt_exploration(runtime: sartor.Runtime, number: signal.Signals = signal.SIGINT) -> None:
    """Interrupts when another configuration than at the start has become active."""
    interrupt_when(lambda: runtime.configuration != {"rows": 16}, number)


def interrupt_once(event: threading.Event) -> None:
    """Interrupts as soon as the event is set."""

    def wait():
        event.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


def test_ctrl_c_ends_it_at_once_and_what_was_active_is_restored(runtime):
    explorer = endless(runtime)
    interrupt_exploration(runtime)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        explorer.explore()
    assert time.monotonic() - began < SOON
    assert runtime.configuration == {"rows": 16}
    assert explorer.decision is None and explorer.explorations == 0


def test_ctrl_c_ends_one_in_which_no_python_runs(runtime):
    """The count is read in place."""
    counter, goes_on = ctypes.c_uint64(), True

    def count():
        while goes_on:
            counter.value += random.randrange(1000)

    thread = threading.Thread(target=count)
    thread.start()
    interrupt_exploration(runtime)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            endless(runtime, sartor.Objective.rate_of(counter)).explore()
    finally:
        goes_on = False
        thread.join()
    assert time.monotonic() - began < SOON
    assert runtime.configuration == {"rows": 16}


def test_one_that_was_interrupted_can_begin_again(runtime):
    explorer = endless(runtime)
    for _ in range(2):
        interrupt_exploration(runtime)
        with pytest.raises(KeyboardInterrupt):
            explorer.explore()
    assert runtime.configuration == {"rows": 16}


def test_one_with_a_journal_goes_on_where_it_was_interrupted(library, tmp_path):
    journal, log = tmp_path / "journal", tmp_path / "log"

    def contains(file, text):
        return file.exists() and text in file.read_text()

    with sartor.Runtime(library, event_log=log) as runtime:
        for file, text in ((journal, '"trial"'), (log, "journal_resumed")):
            explorer = endless(runtime, journal=journal)
            interrupt_when(functools.partial(contains, file, text))
            with pytest.raises(KeyboardInterrupt):
                explorer.explore()
    assert "journal_resumed" in log.read_text()


class Stuck(sartor.Strategy):
    """Comes to no end in one of its methods."""

    def __init__(self, where):
        super().__init__()
        self.where = where
        self.is_stuck = threading.Event()
        self.ended_by = []

    def loop(self, where):
        try:
            while self.where == where:
                self.is_stuck.set()
                time.sleep(0.001)
        except BaseException as error:
            self.ended_by.append(type(error))
            raise

    def ask(self):
        self.loop("ask")
        return sartor.Configuration({"rows": 4})

    def tell(self, trial):
        self.loop("tell")

    def best(self):
        return sartor.Decision()


@pytest.mark.parametrize("where", ["ask", "tell"])
def test_ctrl_c_ends_a_strategy_that_comes_to_no_end(runtime, where):
    strategy = Stuck(where)
    interrupt_once(strategy.is_stuck)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        endless(runtime, strategy=lambda space: strategy).explore()
    assert time.monotonic() - began < SOON
    assert strategy.ended_by == [KeyboardInterrupt]
    assert runtime.configuration == {"rows": 16}


def test_ctrl_c_ends_an_objective_that_comes_to_no_end(runtime):
    is_stuck = threading.Event()

    def read():
        while True:
            is_stuck.set()
            time.sleep(0.001)

    explorer = sartor.Explorer(runtime, sartor.Objective.value_of(read))
    interrupt_once(is_stuck)
    with pytest.raises(KeyboardInterrupt):
        explorer.explore()
    assert runtime.configuration == {"rows": 16}


def test_ctrl_c_ends_one_in_the_background_whose_strategy_comes_to_no_end(runtime):
    """Once more than usual: the first ends what the program does, and the block then waits."""
    strategy = Stuck("ask")
    ends = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        with endless(runtime, strategy=lambda space: strategy) as explorer:
            explorer.start()
            try:
                interrupt_once(strategy.is_stuck)
                time.sleep(300)
            except KeyboardInterrupt:
                interrupt_when(ends.is_set, after=5)  # while the block waits
                ends.set()
                raise
    assert strategy.ended_by == [KeyboardInterrupt]
    assert runtime.configuration == {"rows": 16}


def test_what_a_signal_handler_raises_comes_out(runtime):
    def expire(*_):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGUSR1, expire)
    try:
        interrupt_exploration(runtime, signal.SIGUSR1)
        with pytest.raises(TimeoutError, match="enough"):
            endless(runtime).explore()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert runtime.configuration == {"rows": 16}


def test_a_signal_handler_that_does_not_raise_ends_nothing(runtime):
    handled = []

    def handle(*_):
        handled.append("SIGUSR1")
        interrupt_when(lambda: True)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        interrupt_exploration(runtime, signal.SIGUSR1)
        with pytest.raises(KeyboardInterrupt):
            endless(runtime).explore()
        assert handled == ["SIGUSR1"]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_explores_on_another_thread_too(runtime):
    decisions = []
    scores = {None: 1.0, 8: 9.0}

    def explore():
        def read():
            setting = runtime.configuration.get("rows")
            return scores.get(setting and setting.value, 2.0)

        options = {"choices": {"rows": [4, 8], "columns": []}, "sample_time": 0.0005}
        explorer = sartor.Explorer(runtime, sartor.Objective.value_of(read), **options)
        decisions.append(explorer.explore())

    thread = threading.Thread(target=explore)
    thread.start()
    thread.join()
    assert decisions[0].configuration == {"rows": 8}
