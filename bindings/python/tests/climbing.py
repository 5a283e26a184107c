# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A made-up system whose best configuration is known, to try strategies on."""

from __future__ import annotations

from collections.abc import Callable

import sartor


def hill(configuration: sartor.Configuration) -> float:
    """Highest, 100, at x=6, y=2, mode=b."""
    x = configuration["x"].value if "x" in configuration else 0
    y = configuration["y"].value if "y" in configuration else 0
    bonus = 20 if configuration.get("mode") == sartor.Setting("b") else 0
    return 80 - (x - 6) ** 2 - 3 * (y - 2) ** 2 + bonus


def space(constraints: sartor.Constraints | None = None) -> sartor.SearchSpace:
    dimensions = {"x": range(1, 11), "y": range(1, 6), "mode": ["a", "b"]}
    return sartor.SearchSpace(dimensions, constraints or sartor.Constraints())


def run(
    strategy: sartor.Strategy,
    score: Callable[[sartor.Configuration], float] = hill,
    at_once: int = 1,
) -> list[sartor.Configuration]:
    """Asks and tells, `at_once` outstanding, until there is nothing to ask; what was asked for."""
    asked: list[sartor.Configuration] = []
    outstanding: list[sartor.Configuration] = []
    while True:
        while len(outstanding) < at_once and (one := strategy.ask()) is not None:
            assert one not in outstanding
            outstanding.append(one)
            asked.append(one)
        if not outstanding:
            return asked
        told = outstanding.pop()
        strategy.tell(sartor.Trial(told, score(told), error=0.5, sample_count=4))
