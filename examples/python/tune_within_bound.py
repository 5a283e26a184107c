# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes the blocks of the transposition within a bound on latency: tune_within_bound.py LIBRARY."""

import sys
import time

import sartor

from program import Program


class Timed(Program):
    """Also records the latency of each transposition."""

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.latency = sartor.Histogram()
        transpose = self._transpose

        def timed(*arguments) -> None:
            began = time.perf_counter()
            transpose(*arguments)
            self.latency.record(time.perf_counter() - began)

        self._transpose = timed


if __name__ == "__main__":
    with Timed(sys.argv[1]) as program:
        rate = sartor.Objective.rate_of(program.transposed, "matrices", "matrices/s")
        p90 = sartor.Objective.percentile_of(program.latency, 90)
        objective = rate.subject_to(p90, most=0.1)  # seconds
        decision = sartor.Explorer(
            program.runtime,
            objective,
            unguarded={"rows", "columns"},
            choices={"rows": [8], "columns": [8]},
            most_samples=100,
            confirm_for=1,
        ).explore()
    print(f"best: {decision.configuration}, {decision.estimate.mean:.4g} {decision.unit}")
    print("within the bound" if decision.keeps_bounds else "not known to keep the bound")
    if not program.is_right():
        sys.exit("the matrix is not right")
