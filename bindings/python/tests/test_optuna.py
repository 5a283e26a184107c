# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import importlib.util

import climbing
import pytest

import sartor
from sartor import Condition, Configuration, Constraints, Trial

optuna = pytest.importorskip("optuna")
adapters = pytest.importorskip("sartor.optuna_strategy")
optuna.logging.set_verbosity(optuna.logging.WARNING)

needs_torch = pytest.mark.skipif(
    not (importlib.util.find_spec("torch") and importlib.util.find_spec("scipy")),
    reason="SKIPPED: Optuna's GP sampler needs torch and scipy, which are not installed",
)
CONSTRAINED = Constraints(
    relations=["x * y <= 20"],
    conditions={"y": Condition("mode", ["b"])},
    forbidden=[Configuration({"x": 1, "mode": "a"})],
)


@pytest.fixture(params=["tpe", "cma_es", pytest.param("gp", marks=needs_torch)])
def make(request):
    return getattr(adapters, request.param)


def test_finds_the_hill(make):
    strategy = make(climbing.space(), most_trials=40)
    asked = climbing.run(strategy)
    assert len(asked) == 40
    assert climbing.hill(strategy.best().configuration) >= 90
    assert strategy.sample_count() == 8


def test_starts_with_the_generic_code(make):
    assert make(climbing.space()).ask() == {}


def test_several_are_outstanding_at_once(make):
    strategy = make(climbing.space(), most_trials=24)
    asked = climbing.run(strategy, at_once=4)
    assert len(asked) == 24
    states = {trial.state for trial in strategy.study.trials}
    assert states == {optuna.trial.TrialState.COMPLETE}


def test_never_proposes_what_is_forbidden(make):
    space = climbing.space(CONSTRAINED)
    strategy = make(space, most_trials=40)
    asked = climbing.run(strategy)
    assert len(asked) == 40
    assert all(space.allows(one) for one in asked)


def test_tells_the_study_what_was_forbidden():
    forbidden = [Configuration({"x": x}) for x in range(1, 9)]
    space = sartor.SearchSpace({"x": range(1, 11)}, Constraints(forbidden=forbidden))
    strategy = adapters.tpe(space, most_trials=10)
    climbing.run(strategy)
    states = [trial.state for trial in strategy.study.trials]
    assert optuna.trial.TrialState.PRUNED in states


def test_a_space_with_one_configuration_ends():
    forbidden = [Configuration({"x": 1})]
    space = sartor.SearchSpace({"x": [1]}, Constraints(forbidden=forbidden))
    strategy = adapters.tpe(space, most_trials=3)
    assert climbing.run(strategy) == [Configuration()] * 3


def test_conditional_points_are_asked_for_where_their_condition_holds():
    space = sartor.SearchSpace(
        {"depth": [1, 2, 3], "mode": ["a", "b"]},
        Constraints(conditions={"depth": Condition("mode", ["b"])}),
    )
    strategy = adapters.tpe(space, most_trials=30)
    asked = climbing.run(strategy, score=lambda one: 10.0 * len(one))
    assert any("depth" in one for one in asked)
    assert all(trial.state.name == "COMPLETE" for trial in strategy.study.trials)
    assert all(
        ("depth" in trial.params) == (trial.params["mode"] == "b")
        for trial in strategy.study.trials
    )


def test_what_failed_is_told_as_failed_and_not_proposed_again():
    strategy = adapters.tpe(sartor.SearchSpace({"x": [1, 2]}), most_trials=12)
    asked = []
    while (one := strategy.ask()) is not None:
        asked.append(one)
        strategy.tell(Trial(one, score=1.0, failed=one == {"x": 1}))
    assert asked.count(Configuration({"x": 1})) == 1
    assert [t.state.name for t in strategy.study.trials].count("FAIL") == 1
    assert strategy.best().configuration != {"x": 1}


def test_a_score_that_is_no_number_is_a_failure():
    strategy = adapters.tpe(climbing.space(), most_trials=2)
    strategy.tell(Trial(strategy.ask(), score=float("nan")))
    assert strategy.study.trials[0].state.name == "FAIL"
    assert strategy.best().configuration == {}


def test_goes_on_with_a_study():
    first = adapters.tpe(climbing.space(), most_trials=20)
    climbing.run(first)
    second = adapters.tpe(climbing.space(), first.study, most_trials=5)
    assert second.best().configuration == first.best().configuration
    climbing.run(second)
    assert len(first.study.trials) == 25
    assert first.best().configuration == second.best().configuration


def test_takes_trials_that_it_did_not_ask_for():
    strategy = adapters.tpe(climbing.space(), most_trials=5)
    told = Configuration({"x": 6, "y": 2, "mode": "b"})
    strategy.tell(Trial(told, score=100.0, error=1.0, sample_count=3))
    assert strategy.best().configuration == told
    estimate = strategy.best().estimate
    assert (estimate.mean, estimate.windows) == (100.0, 3)
    assert estimate.low < 100 < estimate.high


def test_refuses_a_study_that_minimises():
    with pytest.raises(ValueError):
        adapters.OptunaStrategy(climbing.space(), optuna.create_study(direction="minimize"))


def test_what_was_cut_short_is_pruned_with_its_value():
    strategy = adapters.tpe(climbing.space(), most_trials=3)
    first = strategy.ask()
    strategy.tell(Trial(first, score=10.0, sample_count=8))
    cut = strategy.ask()
    strategy.tell(Trial(cut, score=11.0, error=2.0, sample_count=2, cut_short=True))
    other = Configuration({"x": 6, "y": 2, "mode": "b"})
    strategy.tell(Trial(other, score=12.0, sample_count=3, cut_short=True))  # a trial that was not asked for
    complete, *pruned = strategy.study.trials
    assert complete.state.name == "COMPLETE"
    assert [(one.state.name, one.value) for one in pruned] == [("PRUNED", 11.0), ("PRUNED", 12.0)]
    assert [one.intermediate_values for one in pruned] == [{2: 11.0}, {3: 12.0}]
    assert pruned[0].user_attrs["error"] == 2.0
    assert strategy.best().configuration == first
