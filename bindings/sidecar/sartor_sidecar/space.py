# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a study searches in. Settings are opaque: how they are written is the replica's affair."""

from __future__ import annotations

from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution

Configuration = dict[str, Any]
Place = dict[str, Any]  # label to an index: Optuna's parameters


class Space:
    """The places of a SearchSpace: for each dimension 0 for generic, or 1 + the index of a setting.

    Raises KeyError or TypeError for a description that is none.
    """

    def __init__(self, description: Any) -> None:
        self.dimensions: dict[str, list[Any]] = {}
        self.distributions: dict[str, BaseDistribution] = {}
        for dimension in description["dimensions"]:
            label, settings = dimension["label"], dimension["settings"]
            self.dimensions[label] = settings
            self.distributions[label] = (
                IntDistribution(0, len(settings))
                if dimension.get("ordered", True)
                else CategoricalDistribution(list(range(len(settings) + 1)))
            )

    def configuration(self, place: Place) -> Configuration:
        return {label: self.dimensions[label][at - 1] for label, at in place.items() if at > 0}

    def place(self, configuration: Configuration) -> Place:
        """Raises ValueError if it is not in the space."""
        for label in configuration:
            if label not in self.dimensions:
                raise ValueError(f"{label}: is no dimension of the space")
        return {
            label: settings.index(configuration[label]) + 1 if label in configuration else 0
            for label, settings in self.dimensions.items()
        }
