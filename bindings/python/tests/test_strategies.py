# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import climbing
import pytest

import sartor


@pytest.mark.parametrize("name", ["exhaustive", "random", "local"])
def test_strategies_of_cpp_find_the_hill(name):
    strategy = sartor.make_strategy(name, climbing.space(), most_trials=200)
    climbing.run(strategy)
    assert climbing.hill(strategy.best().configuration) > 90


def test_the_exhaustive_one_tries_all():
    space = climbing.space()
    asked = climbing.run(sartor.exhaustive_search(space, most_trials=1000))
    assert sorted(map(str, asked)) == sorted(map(str, space.all()))


def test_the_same_seed_asks_the_same():
    first = climbing.run(sartor.random_search(climbing.space(), most_trials=10, seed=3))
    assert first == climbing.run(sartor.random_search(climbing.space(), most_trials=10, seed=3))
    assert len(set(first)) == 10


def test_a_race_ends_with_the_best():
    candidates = [sartor.Configuration({"x": x, "y": 2}) for x in (4, 6, 9)]
    race = sartor.race(candidates)
    assert race.sample_count() == 1
    climbing.run(race)
    assert race.best().configuration == candidates[1]


def test_no_race_without_candidates():
    with pytest.raises(ValueError):
        sartor.race([])


def test_unknown_names_are_refused():
    with pytest.raises(sartor.Error) as raised:
        sartor.make_strategy("best", climbing.space())
    assert raised.value.code == "bad_objective"


def test_removed_names_say_what_to_use():
    with pytest.raises(sartor.Error, match='take "local"'):
        sartor.make_strategy("coordinate", climbing.space())


def test_a_fleet_whose_sidecar_is_lost_goes_on_alone(library, tmp_path):
    runtime = sartor.Runtime(library)
    strategy = sartor.fleet_search(
        runtime, climbing.space(), tmp_path / "nobody.sock", "study", most_trials=60
    )
    climbing.run(strategy)
    assert climbing.hill(strategy.best().configuration) > 90
