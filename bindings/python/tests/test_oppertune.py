# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Against a stand-in with the interface of OPPerTune's algorithms: they are not published as
packages (docs/guides/python.md says how to get them)."""

from __future__ import annotations

import random

import climbing

import sartor
from sartor import Configuration, Constraints, Trial
from sartor.oppertune_strategy import OpperTune, parameters


class StandIn:
    """Predicts near the best so far; as strict about its interface as OPPerTune's algorithms."""

    def __init__(self, given):
        for parameter in given:
            kind = {"integer": {"min", "max", "step"}, "categorical": {"categories"}}
            assert set(parameter) == {"type", "name", "val"} | kind[parameter["type"]]
        self.given = list(given)
        self.best = {parameter["name"]: parameter["val"] for parameter in self.given}
        self.best_reward = -1.0
        self.prediction = None
        self.rewards = []
        self._random = random.Random(1)

    def predict(self):
        if self.prediction is None:
            self.prediction = {p["name"]: self._near(p) for p in self.given}
        return dict(self.prediction), "request"

    def set_reward(self, reward):
        if self.prediction is None:
            raise ValueError("no tuning request found")
        assert 0 <= reward <= 1
        self.rewards.append(reward)
        if reward > self.best_reward:
            self.best, self.best_reward = self.prediction, reward
        self.prediction = None

    def _near(self, parameter):
        if parameter["type"] == "categorical":
            return self._random.choice(parameter["categories"])
        moved = self.best[parameter["name"]] + self._random.choice([-1, 0, 1]) * parameter["step"]
        return min(max(moved, parameter["min"]), parameter["max"])


def test_points_become_parameters():
    assert parameters(sartor.SearchSpace({"B": [4, 8, 16], "mode": ["a", "b"]})) == [
        {"type": "integer", "name": "B", "val": 2, "min": 0, "max": 3, "step": 1},
        {
            "type": "categorical",
            "name": "mode",
            "val": "generic",
            "categories": ["generic", "=a", "=b"],
        },
    ]


def test_finds_the_hill():
    strategy = OpperTune(climbing.space(), StandIn, most_trials=60)
    assert len(climbing.run(strategy, at_once=3)) == 60
    assert climbing.hill(strategy.best().configuration) > 90


def test_one_trial_is_outstanding_at_a_time():
    strategy = OpperTune(climbing.space(), StandIn)
    asked = strategy.ask()
    assert strategy.ask() is None
    strategy.tell(Trial(asked, score=1.0))
    assert strategy.ask() is not None


def test_rewards_what_is_as_good_as_the_first_with_a_half():
    strategy = OpperTune(climbing.space(), StandIn)
    for score in (1000.0, 1000.0, 3000.0, -1.0):
        strategy.tell(Trial(strategy.ask(), score=score))
    assert strategy.algorithm.rewards == [0.5, 0.5, 0.75, 0.0]


def test_what_is_forbidden_is_rewarded_with_nothing_and_not_proposed():
    forbidden = [Configuration({"x": x}) for x in range(4, 11)]
    space = sartor.SearchSpace({"x": range(1, 11)}, Constraints(forbidden=forbidden))
    strategy = OpperTune(space, StandIn, most_trials=5)
    asked = climbing.run(strategy)
    assert all(space.allows(one) for one in asked)
    assert 0.0 in strategy.algorithm.rewards


def test_what_failed_is_rewarded_with_nothing():
    strategy = OpperTune(climbing.space(), StandIn)
    strategy.tell(Trial(strategy.ask(), score=5.0, failed=True))
    assert strategy.algorithm.rewards == [0.0]
    assert strategy.best().configuration == {}
