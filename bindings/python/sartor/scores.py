# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What trials have come to, by configuration: for strategies that keep no such book themselves."""

from __future__ import annotations

import math

from ._sartor import Configuration, Decision, Estimate, Trial

_DEVIATIONS = 1.96  # half the width of a 95 % interval of a normal distribution


class Scores:
    """Adds up trials and names the configuration with the highest mean. For use by one thread."""

    def __init__(self) -> None:
        self._trials: dict[Configuration, list[Trial]] = {}

    def add(self, trial: Trial) -> bool:
        """False, and nothing is added, for a trial that failed or has no finite score."""
        if trial.failed or not math.isfinite(trial.score):
            return False
        self._trials.setdefault(trial.configuration, []).append(trial)
        return True

    def estimate(self, configuration: Configuration) -> Estimate | None:
        """The mean over all slices, and the interval that the trials' standard errors give."""
        trials = self._trials.get(configuration)
        if not trials:
            return None
        sample_count = sum(trial.sample_count for trial in trials)
        mean = sum(trial.score * trial.sample_count for trial in trials) / sample_count
        error = math.sqrt(sum((trial.error * trial.sample_count) ** 2 for trial in trials)) / sample_count
        return Estimate(mean, mean - _DEVIATIONS * error, mean + _DEVIATIONS * error, sample_count)

    def best(self) -> Decision:
        """The generic code if nothing has been added."""
        decision = Decision()
        for configuration in self._trials:
            estimate = self.estimate(configuration)
            if estimate and (
                decision.estimate.windows == 0 or estimate.mean > decision.estimate.mean
            ):
                decision = Decision(configuration, estimate)
        return decision
