# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many trials of a study have begun.

A trial whose replica was lost is failed and enqueued again; the user attribute `root` of the new one is
the number of the first. All of one root are one trial that has begun. Refused ones (pruned) are none.

Optuna's storages have no transactions, but they give each trial a number when they make it, in order.
So whoever has begun a trial looks at those with lower numbers after that, and gives it back if they use
the budget up: two that begin at once cannot both take the last place, however they are interleaved.
"""

from __future__ import annotations

from collections.abc import Sequence

from optuna.trial import FrozenTrial, TrialState


def root(trial: FrozenTrial) -> int:
    number: int = trial.user_attrs.get("root", trial.number)
    return number


def begun(trials: Sequence[FrozenTrial]) -> set[int]:
    """By their roots. One that waits to be begun again is counted."""
    return {root(trial) for trial in trials if trial.state != TrialState.PRUNED}


def is_within(trials: Sequence[FrozenTrial], trial: FrozenTrial, most: int) -> bool:
    """Whether the budget has room for `trial`. `trials`: all, read after it was begun."""
    before = begun([other for other in trials if other.number < trial.number])
    return root(trial) in before or len(before) < most


def is_used_up(trials: Sequence[FrozenTrial], most: int) -> bool:
    """Whether there is nothing to begin, not even again."""
    waits = any(trial.state == TrialState.WAITING for trial in trials)
    return len(begun(trials)) >= most and not waits
