# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optuna's samplers as strategies: tpe(), gp(), cma_es(), or any study of one's own.

Needs the package `optuna`; cma_es() needs `cmaes` too, gp() `scipy` and `torch`. Methods:
TPE: S. Watanabe, "Tree-Structured Parzen Estimator", arXiv:2304.11127, 2023. CMA-ES: N. Hansen,
"The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, 2016.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState, create_trial

from ._sartor import Configuration, Decision, Dimension, SearchSpace, Strategy, Trial
from .scores import Scores

__all__ = ["OptunaStrategy", "cma_es", "gp", "tpe"]

# Number of consecutive unusable proposals before an allowed configuration is chosen at random.
_PATIENCE = 20


def distribution(dimension: Dimension) -> BaseDistribution:
    """An ordered dimension is an index, 0 for generic; of another, the settings' texts or None."""
    if dimension.is_ordered:
        return IntDistribution(0, len(dimension.settings))
    return CategoricalDistribution(choices(dimension))


def choices(dimension: Dimension) -> list[str | None]:
    return [None, *map(str, dimension.settings)]


class OptunaStrategy(Strategy):
    """Asks a study's sampler; tells it the scores, which are maximised.

    Several configurations may be outstanding; none is outstanding twice. What the space does not
    allow is told to the study as pruned and never proposed. A point whose condition does not hold
    is not asked for. Trials that fail are told as failed, and not proposed again; those that were cut
    short, as pruned, with their rough score, which does not count for best(). Trials that others
    added to the study, if `study` is given, count for best() too.

    `most_trials`: then there is nothing more to ask. `sample_count`: of each trial, at most. Raises
    ValueError for a study that does not maximise one objective.
    """

    def __init__(
        self,
        space: SearchSpace,
        study: optuna.Study | None = None,
        *,
        most_trials: int = 100,
        sample_count: int = 8,
    ) -> None:
        super().__init__()
        self.space = space
        self.study = study or optuna.create_study(direction="maximize")
        if self.study.directions != [optuna.study.StudyDirection.MAXIMIZE]:
            raise ValueError("the study must maximise one objective")
        self._left = most_trials
        self._sample_count = sample_count
        self._dimensions = {dimension.label: dimension for dimension in space.dimensions}
        self._distributions = {
            label: distribution(dimension) for label, dimension in self._dimensions.items()
        }
        self._order = _conditions_first(space)
        self._outstanding: dict[Configuration, list[optuna.trial.Trial]] = {}
        self._failed: set[Configuration] = set()
        self._scores = Scores()
        self._counted: set[int] = set()  # numbers of the study's trials that are in _scores
        if not self.study.get_trials(deepcopy=False):
            self._enqueue(Configuration())  # the reference for all comparisons

    def ask(self) -> Configuration | None:
        if self._left <= 0:
            return None
        for attempt in range(2 * _PATIENCE):
            if attempt == _PATIENCE:
                self._enqueue(self.space.random())
            trial = self.study.ask()
            configuration = self._suggest(trial)
            if not self.space.allows(configuration) or configuration in self._failed:
                self.study.tell(trial, state=TrialState.PRUNED)
                continue
            trial.set_user_attr("configuration", configuration.json())
            trials = self._outstanding.setdefault(configuration, [])
            trials.append(trial)
            if len(trials) == 1:
                self._left -= 1
                return configuration
        return None

    def tell(self, trial: Trial) -> None:
        state = _state(trial)
        if state == TrialState.COMPLETE:
            self._scores.add(trial)
        elif state == TrialState.FAIL:
            self._failed.add(trial.configuration)
        asked_for = self._outstanding.pop(trial.configuration, [])
        if not asked_for:
            self._add(trial, state)
        for asked in asked_for:
            if state != TrialState.FAIL:
                asked.set_user_attr("error", trial.error)
                asked.set_user_attr("sample_count", trial.sample_count)
            if state == TrialState.PRUNED:
                asked.report(trial.score, trial.sample_count)
            score = trial.score if state == TrialState.COMPLETE else None
            self._counted.add(self.study.tell(asked, score, state).number)

    def best(self) -> Decision:
        for trial in self.study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            if trial.number not in self._counted:
                self._counted.add(trial.number)
                self._count(trial)
        return self._scores.best()

    def sample_count(self) -> int:
        return self._sample_count

    def _suggest(self, trial: optuna.trial.Trial) -> Configuration:
        conditions = self.space.constraints.conditions
        configuration = Configuration()
        for label in self._order:
            condition = conditions.get(label)
            if condition:
                setting = configuration.get(condition.label)
                if setting is None or not set(setting.values) <= set(condition.values):
                    continue
            value: Any
            if self._dimensions[label].is_ordered:
                value = trial.suggest_int(label, 0, len(self._dimensions[label].settings))
            else:
                value = trial.suggest_categorical(label, choices(self._dimensions[label]))
            configuration = self._with(configuration, label, value)
        return configuration

    def _with(self, configuration: Configuration, label: str, value: Any) -> Configuration:
        """`configuration` with a parameter of the study in it."""
        dimension = self._dimensions[label]
        index = value if dimension.is_ordered else choices(dimension).index(value)
        return configuration | {label: dimension.settings[index - 1]} if index else configuration

    def _params(self, configuration: Configuration) -> dict[str, Any]:
        """The parameters for a configuration of the space: those whose condition holds."""
        coordinates = self.space.coordinates_of(configuration)
        if coordinates is None:
            raise ValueError(f"{configuration}: is not in the space")
        params: dict[str, Any] = {}
        for label, index in zip(self._dimensions, coordinates, strict=True):
            condition = self.space.constraints.conditions.get(label)
            if condition and index == 0:
                continue
            dimension = self._dimensions[label]
            params[label] = index if dimension.is_ordered else choices(dimension)[index]
        return params

    def _enqueue(self, configuration: Configuration) -> None:
        self.study.enqueue_trial(self._params(configuration))

    def _add(self, trial: Trial, state: TrialState) -> None:
        """A trial that was not asked for, e.g. of an exploration that is resumed."""
        if self.space.coordinates_of(trial.configuration) is None:
            return
        params = self._params(trial.configuration)
        attributes = {
            "configuration": trial.configuration.json(),
            "error": trial.error,
            "sample_count": trial.sample_count,
        }
        added = create_trial(
            state=state,
            value=None if state == TrialState.FAIL else trial.score,
            intermediate_values={trial.sample_count: trial.score} if state == TrialState.PRUNED else None,
            params=params,
            distributions={label: self._distributions[label] for label in params},
            user_attrs=attributes,
        )
        self._counted.add(len(self.study.get_trials(deepcopy=False)))
        self.study.add_trial(added)

    def _count(self, trial: FrozenTrial) -> None:
        """Takes a result of somebody else's, if it is of this space."""
        configuration = Configuration()
        for label, value in trial.params.items():
            if trial.distributions[label] != self._distributions.get(label):
                return
            configuration = self._with(configuration, label, value)
        error, sample_count = trial.user_attrs.get("error", 0.0), trial.user_attrs.get("sample_count", 1)
        self._scores.add(Trial(configuration, trial.value or 0.0, error, sample_count))


def _state(trial: Trial) -> TrialState:
    if trial.failed or not math.isfinite(trial.score):
        return TrialState.FAIL
    return TrialState.PRUNED if trial.cut_short else TrialState.COMPLETE


def tpe(
    space: SearchSpace,
    study: optuna.Study | None = None,
    *,
    most_trials: int = 100,
    sample_count: int = 8,
    seed: int | None = 1,
    **options: Any,
) -> OptunaStrategy:
    """Tree-structured Parzen estimators; knows conditional points. `options`: TPESampler's."""
    options = {"multivariate": True, "group": True, "constant_liar": True, **options}
    sampler = _quietly(optuna.samplers.TPESampler, seed=seed, **options)
    return _strategy(space, study, sampler, most_trials, sample_count)


def gp(
    space: SearchSpace,
    study: optuna.Study | None = None,
    *,
    most_trials: int = 100,
    sample_count: int = 8,
    seed: int | None = 1,
    **options: Any,
) -> OptunaStrategy:
    """A Gaussian process, for tens of trials. Raises ImportError without torch or scipy."""
    sampler = _quietly(optuna.samplers.GPSampler, seed=seed, **options)
    return _strategy(space, study, sampler, most_trials, sample_count)


def cma_es(
    space: SearchSpace,
    study: optuna.Study | None = None,
    *,
    most_trials: int = 100,
    sample_count: int = 8,
    seed: int | None = 1,
    **options: Any,
) -> OptunaStrategy:
    """CMA-ES over the ordered points, for hundreds of trials; the others are chosen at random."""
    options = {"warn_independent_sampling": False, **options}
    sampler = _quietly(optuna.samplers.CmaEsSampler, seed=seed, **options)
    return _strategy(space, study, sampler, most_trials, sample_count)


def _strategy(
    space: SearchSpace,
    study: optuna.Study | None,
    sampler: optuna.samplers.BaseSampler,
    most_trials: int,
    sample_count: int,
) -> OptunaStrategy:
    if study is None:
        study = optuna.create_study(direction="maximize", sampler=sampler)
    else:
        study.sampler = sampler
    return OptunaStrategy(space, study, most_trials=most_trials, sample_count=sample_count)


def _quietly(make: Any, **options: Any) -> Any:
    """What Optuna calls experimental, it says with a warning each time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return make(**options)


def _conditions_first(space: SearchSpace) -> list[str]:
    """Labels, each after the one that its condition is about."""
    conditions = space.constraints.conditions
    order: list[str] = []

    def coordinates(label: str, above: frozenset[str]) -> None:
        if label in order or label in above:
            return
        if label in conditions:
            coordinates(conditions[label].label, above | {label})
        order.append(label)

    for dimension in space.dimensions:
        coordinates(dimension.label, frozenset())
    return order
