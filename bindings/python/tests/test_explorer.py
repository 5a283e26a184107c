# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import subprocess
import sys
import time

import pytest

import sartor

# These tests limit the duration of exploring; its cost to the program does not matter.
QUICKLY = {"sample_time": 0.0005, "regression_budget": 0.9}
SCORES = {None: 10.0, 4: 30.0, 8: 50.0, 16: 20.0}


@pytest.fixture
def runtime(library) -> sartor.Runtime:
    return sartor.Runtime(library)


def explorer(runtime: sartor.Runtime, read=None, **options) -> sartor.Explorer:
    """Of a made-up system that is best at rows=8; `rows` is the only point."""

    def score() -> float:
        setting = runtime.configuration.get("rows")
        return SCORES[setting.value if setting else None]

    choices = {"rows": [4, 8, 16], "columns": []}
    options = {"choices": choices, "confirm_for": 0.01, **QUICKLY, **options}
    return sartor.Explorer(runtime, sartor.Objective.value_of(read or score), **options)


class Listed(sartor.Strategy):
    """Asks for what it is given."""

    def __init__(self, configurations):
        super().__init__()
        self.left = list(configurations)
        self.told = []

    def ask(self):
        return self.left.pop(0) if self.left else None

    def tell(self, trial):
        self.told.append(trial)

    def best(self):
        top = max(self.told, key=lambda trial: trial.score)
        return sartor.Decision(top.configuration, sartor.Estimate(top.score, windows=1))


def test_activates_the_best(runtime):
    tuner = explorer(runtime)
    assert [dimension.label for dimension in tuner.space.dimensions] == ["rows"]
    assert tuner.decision is None
    assert tuner.explore().configuration == {"rows": 8}
    assert runtime.configuration == {"rows": 8}
    assert tuner.decision.configuration == {"rows": 8}
    assert tuner.explorations == 1


@pytest.mark.parametrize("name", ["exhaustive", "random", "local"])
def test_takes_strategies_by_name(runtime, name):
    assert explorer(runtime, strategy=name, most_trials=20).explore().configuration == {"rows": 8}


def test_runs_a_strategy_written_in_python(runtime):
    made = []

    def make(space):
        made.append(Listed([{"rows": 4}, {"rows": 8}, sartor.Configuration({"rows": 16})]))
        return made[-1]

    decision = explorer(runtime, strategy=make).explore()
    assert decision.configuration == {"rows": 8}
    (strategy,) = made
    assert [trial.configuration for trial in strategy.told] == [{"rows": r} for r in (4, 8, 16)]


class Broken(Listed):
    def __init__(self, where):
        super().__init__([{"rows": 4}])
        self.where = where

    def ask(self):
        if self.where == "ask":
            raise ValueError("no idea")
        if self.where == "type":
            return "rows=4"
        return super().ask()

    def tell(self, trial):
        if self.where == "tell":
            raise ValueError("no idea")
        super().tell(trial)

    def best(self):
        if self.where == "best":
            raise ValueError("no idea")
        return super().best()


@pytest.mark.parametrize("where", ["ask", "tell", "best", "type"])
def test_a_strategy_that_raises_ends_the_exploration_and_changes_nothing(runtime, where):
    runtime.specialize({"rows": 16})
    with pytest.raises(sartor.Error) as raised:
        explorer(runtime, strategy=lambda space: Broken(where)).explore()
    assert raised.value.code == "bad_strategy"
    if where != "type":
        assert "ValueError: no idea" in raised.value.message
    assert runtime.configuration == {"rows": 16}


def test_a_strategy_that_cannot_be_made_is_a_bad_one(runtime):
    for make in (lambda space: 3, lambda space: 1 / 0):
        with pytest.raises(sartor.Error) as raised:
            explorer(runtime, strategy=make).explore()
        assert raised.value.code == "bad_strategy"
    with pytest.raises(TypeError):
        explorer(runtime, strategy=3)


def test_parts_of_a_wrong_type_are_refused(runtime):
    for options in ({"choices": 3}, {"choices": {"rows": [None]}}, {"signature": 3}):
        with pytest.raises(TypeError):
            explorer(runtime, **options)
    with pytest.raises(TypeError):
        sartor.Objective.rate_of(3)
    with pytest.raises(TypeError):
        runtime.bind("transpose", {"rows": 8})


def test_a_proposal_outside_of_the_space_fails(runtime):
    strategy = Listed([{"rows": 5}, {"rows": 8}])
    assert explorer(runtime, strategy=lambda space: strategy).explore().configuration == {"rows": 8}
    assert [trial.failed for trial in strategy.told] == [True, False]


def test_a_strategy_that_proposes_nothing_else_is_refused(runtime):
    with pytest.raises(sartor.Error) as raised:
        explorer(runtime, strategy=lambda space: Listed([{"rows": 5}] * 1000)).explore()
    assert raised.value.code == "bad_strategy"


def test_what_the_objective_raises_comes_out(runtime):
    def read():
        raise OSError("no counter")

    with pytest.raises(OSError, match="no counter"):
        explorer(runtime, read).explore()


def test_runs_in_the_background_and_stops(runtime):
    tuner = explorer(runtime)
    tuner.start()
    end = time.monotonic() + 300
    while tuner.explorations == 0 and time.monotonic() < end:
        time.sleep(0.01)
    tuner.stop()
    assert tuner.decision.configuration == {"rows": 8}


def test_an_explorer_that_runs_can_be_dropped(runtime):
    tuner = explorer(runtime)
    tuner.start()
    del tuner


def test_the_interpreter_ends_while_one_runs(library):
    program = f"""
import sartor
runtime = sartor.Runtime({library!r})
read = lambda: 1.0 + len(runtime.configuration)
explorer = sartor.Explorer(runtime, sartor.Objective.value_of(read))
explorer.start()
"""
    ended = subprocess.run([sys.executable, "-c", program], timeout=300, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_options_that_make_no_sense_are_refused(runtime):
    with pytest.raises(sartor.Error) as raised:
        explorer(runtime, sample_time=0.0)
    assert raised.value.code == "bad_objective"
    with pytest.raises(sartor.Error) as raised:
        explorer(runtime, detection_budget=0.0)
    assert raised.value.code == "bad_objective"
    with pytest.raises(sartor.Error) as raised:
        explorer(runtime, unguarded={"rovs"})
    assert raised.value.code == "unknown_label"
    with pytest.raises(sartor.Error) as raised:
        explorer(runtime, strategy="best")
    assert raised.value.code == "bad_objective"


def test_compares_percentiles(runtime):
    latency = sartor.Histogram()

    def counts():
        setting = runtime.configuration.get("rows")
        for i in range(200):
            slow = 0.010 if i % 4 == 0 else 0.001
            latency.record(slow / SCORES[setting.value if setting else None])
        return latency.counts()

    objective = sartor.Objective.percentile_of(counts, 90, bounds=sartor.Histogram.bounds())
    found = sartor.Explorer(
        runtime, objective, choices={"rows": [8, 16], "columns": []}, confirm_for=0.1, **QUICKLY
    ).explore()
    assert found.configuration == {"rows": 8}
    assert found.estimate.mean == pytest.approx(0.010 / 50, rel=0.02)


def test_histogram_is_kept_by_its_objective(runtime):
    objective = sartor.Objective.percentile_of(sartor.Histogram(), 50)
    assert objective.unit == "s"
    assert sum(sartor.Histogram().counts()) == 0


def test_bounds_are_kept(runtime):
    value = sartor.Objective.value_of

    def rows():
        setting = runtime.configuration.get("rows")
        return float(setting.value if setting else 1)

    def score():
        setting = runtime.configuration.get("rows")
        return SCORES[setting.value if setting else None]

    # rows=8 is the best, but exceeds the bound.
    bounded = value(score).subject_to(value(rows, name="rows"), most=5.0)
    found = sartor.Explorer(
        runtime, bounded, choices={"rows": [4, 8, 16], "columns": []}, confirm_for=1, **QUICKLY
    ).explore()
    assert found.configuration == {"rows": 4}
    assert found.keeps_bounds
    assert found.bounds[0].mean == 4


def test_bound_without_limit_is_refused(runtime):
    objective = sartor.Objective.value_of(lambda: 1.0)
    with pytest.raises(sartor.Error, match="no limit"):
        sartor.Explorer(runtime, objective.subject_to(objective))


def test_several_quantities_are_weighed(runtime):
    value = sartor.Objective.value_of

    def rows():
        setting = runtime.configuration.get("rows")
        return float(setting.value if setting else 1)

    def best_by(weight):
        # More rows have a higher score, and a price that grows with the power of three halves.
        both = sartor.Objective.weighted(
            [(value(rows, name="rows"), weight), (value(lambda: rows() ** 1.5, True, name="price"), 1)]
        )
        return (
            sartor.Explorer(
                runtime, both, choices={"rows": [4, 8, 16], "columns": []}, confirm_for=0.1, **QUICKLY
            )
            .explore()
            .configuration
        )

    assert best_by(1) == {}
    assert best_by(2) == {"rows": 16}


def test_weights_that_make_no_sense_are_refused():
    rate = sartor.Objective.value_of(lambda: 1.0)
    with pytest.raises(sartor.Error) as raised:
        sartor.Objective.weighted([(rate, 1), (rate, -1)])
    assert raised.value.code == "bad_objective"
