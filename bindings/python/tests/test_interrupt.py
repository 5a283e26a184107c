# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C, and other signals whose handlers raise, while an exploration is under way."""

from __future__ import annotations

import ctypes
import itertools
import os
import random
import signal
import threading
import time

import pytest

import sartor

SOON = 30  # seconds; far below the normal duration of the explorations here


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


def interrupt_soon(number: signal.Signals = signal.SIGINT, after: float = 0.5) -> None:
    threading.Timer(after, os.kill, (os.getpid(), number)).start()


def interrupt_once(event: threading.Event) -> None:
    """Interrupts as soon as the event is set."""

    def wait():
        event.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


def test_ctrl_c_ends_it_at_once_and_what_was_active_is_restored(runtime):
    explorer = endless(runtime)
    interrupt_soon()
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
    interrupt_soon()
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
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            explorer.explore()
    assert runtime.configuration == {"rows": 16}


def test_one_with_a_journal_goes_on_where_it_was_interrupted(library, tmp_path):
    with sartor.Runtime(library, event_log=tmp_path / "log") as runtime:
        for _ in range(2):
            explorer = endless(runtime, journal=tmp_path / "journal")
            interrupt_soon(after=1.0)
            with pytest.raises(KeyboardInterrupt):
                explorer.explore()
    assert "journal_resumed" in (tmp_path / "log").read_text()


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
    def read():
        while True:
            time.sleep(0.001)

    explorer = sartor.Explorer(runtime, sartor.Objective.value_of(read))
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        explorer.explore()
    assert runtime.configuration == {"rows": 16}


def test_ctrl_c_ends_one_in_the_background_whose_strategy_comes_to_no_end(runtime):
    """Once more than usual: the first ends what the program does, and the block then waits."""
    strategy = Stuck("ask")
    with pytest.raises(KeyboardInterrupt):
        with endless(runtime, strategy=lambda space: strategy) as explorer:
            explorer.start()
            interrupt_soon(after=1.0)
            interrupt_soon()
            time.sleep(60)
    assert strategy.ended_by == [KeyboardInterrupt]
    assert runtime.configuration == {"rows": 16}


def test_what_a_signal_handler_raises_comes_out(runtime):
    def expire(*_):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGUSR1, expire)
    try:
        interrupt_soon(signal.SIGUSR1)
        with pytest.raises(TimeoutError, match="enough"):
            endless(runtime).explore()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert runtime.configuration == {"rows": 16}


def test_a_signal_handler_that_does_not_raise_ends_nothing(runtime):
    handled = []

    def handle(*_):
        handled.append("SIGUSR1")
        interrupt_soon()

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        interrupt_soon(signal.SIGUSR1)
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
