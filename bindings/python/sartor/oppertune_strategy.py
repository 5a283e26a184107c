# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OPPerTune's algorithms as a strategy.

OPPerTune (G. Somashekar et al., "OPPerTune: Post-Deployment Configuration Tuning of Services Made
Easy", NSDI 2024) is not imported here: the caller hands in what makes one of its algorithms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ._sartor import Configuration, Decision, SearchSpace, Setting, Strategy, Trial
from .scores import Scores

__all__ = ["Algorithm", "OpperTune", "parameters"]

# Number of consecutive forbidden predictions after which the strategy ends.
_PATIENCE = 100
_GENERIC = "generic"


class Algorithm(Protocol):
    """What OPPerTune's algorithms offer (`oppertune.algorithms`, version 0.2)."""

    def predict(self) -> tuple[Mapping[str, Any], str]:
        """A value for each parameter, and the request's number."""

    def set_reward(self, reward: float) -> None:
        """How good the last prediction was; higher is better, 0 to 1."""


def parameters(space: SearchSpace) -> list[dict[str, Any]]:
    """A space as OPPerTune's parameters, in the form that its algorithms read.

    An ordered point is an integer, the index of its setting, 0 for generic; another is a category.
    They start in the middle and at generic.
    """
    made: list[dict[str, Any]] = []
    for dimension in space.dimensions:
        most = len(dimension.settings)
        if dimension.is_ordered:
            range_ = {"val": (most + 1) // 2, "min": 0, "max": most, "step": 1}
            made.append({"type": "integer", "name": dimension.label, **range_})
        else:
            categories = [_GENERIC, *map(_category, dimension.settings)]
            choice = {"val": _GENERIC, "categories": categories}
            made.append({"type": "categorical", "name": dimension.label, **choice})
    return made


class OpperTune(Strategy):
    """Proposes what an algorithm of OPPerTune predicts, and rewards it with the scores.

    `make` is given the list of parameters() and returns the algorithm, e.g. the class HybridSolver.
    The reward of a score is score / (score + the first score): 0.5 for one as good, never outside
    of 0 to 1. What the space forbids and what fails is rewarded with 0 and, if forbidden, not
    proposed. An algorithm knows its last prediction only, so one trial is outstanding at a time.
    """

    def __init__(
        self,
        space: SearchSpace,
        make: Callable[[Sequence[Mapping[str, Any]]], Algorithm],
        *,
        most_trials: int = 100,
        sample_count: int = 8,
    ) -> None:
        super().__init__()
        self.space = space
        self.algorithm = make(parameters(space))
        self._left = most_trials
        self._sample_count = sample_count
        self._outstanding: Configuration | None = None
        self._first: float | None = None
        self._scores = Scores()

    def ask(self) -> Configuration | None:
        if self._left <= 0 or self._outstanding is not None:
            return None
        for _ in range(_PATIENCE):
            prediction, _request = self.algorithm.predict()
            configuration = self._configuration(prediction)
            if self.space.allows(configuration):
                self._left -= 1
                self._outstanding = configuration
                return configuration
            self.algorithm.set_reward(0.0)
        return None

    def tell(self, trial: Trial) -> None:
        known = self._scores.add(trial)
        if trial.configuration != self._outstanding:
            return
        self._outstanding = None
        self.algorithm.set_reward(self._reward(trial.score) if known else 0.0)

    def best(self) -> Decision:
        return self._scores.best()

    def sample_count(self) -> int:
        return self._sample_count

    def _configuration(self, prediction: Mapping[str, Any]) -> Configuration:
        place = []
        for dimension in self.space.dimensions:
            value = prediction[dimension.label]
            if not dimension.is_ordered:
                categories = [_GENERIC, *map(_category, dimension.settings)]
                value = categories.index(value)
            place.append(int(value))
        return self.space.at(place)

    def _reward(self, score: float) -> float:
        if score <= 0:
            return 0.0
        if self._first is None:
            self._first = score
        return score / (score + self._first)


def _category(setting: Setting) -> str:
    """Never equal to the generic one."""
    return f"={setting}"
