# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sartor fits a running native program to what it is doing right now.

A shared library's handlers are specialized, measured and chosen from Python: `Runtime` is the
library, `Explorer` looks for its best `Configuration`, a `Strategy` says where to look.
"""

from collections.abc import Mapping

from ._sartor import (
    Binding,
    Condition,
    Configuration,
    Constraints,
    Decision,
    Dimension,
    Estimate,
    Explorer,
    Folded,
    FoldedLoop,
    FoldedPromise,
    Histogram,
    Invariant,
    Objective,
    Point,
    PointProfile,
    Profile,
    ProfileEntry,
    Runtime,
    SearchSpace,
    Setting,
    Site,
    Space,
    Statistics,
    Strategy,
    Trial,
    VariantInfo,
    any_of,
    exhaustive_search,
    fleet_search,
    local_search,
    make_strategy,
    race,
    random_search,
    unguarded,
)
from .errors import Error
from .trials import trials_dataframe

Mapping.register(Configuration)

__all__ = [
    "Binding",
    "Condition",
    "Configuration",
    "Constraints",
    "Decision",
    "Dimension",
    "Error",
    "Estimate",
    "Explorer",
    "Folded",
    "FoldedLoop",
    "FoldedPromise",
    "Histogram",
    "Invariant",
    "Objective",
    "Point",
    "PointProfile",
    "Profile",
    "ProfileEntry",
    "Runtime",
    "SearchSpace",
    "Setting",
    "Site",
    "Space",
    "Statistics",
    "Strategy",
    "Trial",
    "VariantInfo",
    "any_of",
    "exhaustive_search",
    "fleet_search",
    "local_search",
    "make_strategy",
    "race",
    "random_search",
    "trials_dataframe",
    "unguarded",
]
