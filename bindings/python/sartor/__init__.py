# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sartor fits a running native program to what it is doing right now.

A shared library's handlers are specialized, measured and chosen from Python: `Runtime` is the
library, `Explorer` looks for its best `Configuration`, a `Strategy` says where to look.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ._sartor import (
    Binding,
    Condition,
    Configuration,
    Constraints,
    Decision,
    Dimension,
    Estimate,
    Explorer,
    FoldReport,
    LoopReport,
    InvariantReport,
    Histogram,
    Invariant,
    Objective,
    Point,
    PointProfile,
    Profile,
    ProfileEntry,
    Remark,
    Runtime,
    SearchSpace,
    Setting,
    Site,
    Space,
    Statistics,
    Strategy,
    Trial,
    VariantInfo,
    Verification,
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

if TYPE_CHECKING:
    from ._bpf import BpfMap as BpfMap
    from ._bpf import BpfRuntime as BpfRuntime
    from ._bpf import BpfVariant as BpfVariant

Mapping.register(Configuration)


def __getattr__(name: str) -> object:
    """Handlers in the kernel bring libbpf along, which only their users need."""
    if name not in ("BpfMap", "BpfRuntime", "BpfVariant"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from . import _bpf
    except ImportError as error:
        raise ImportError(f"sartor.{name} needs libsartor-bpf and libbpf: {error}") from error
    return getattr(_bpf, name)


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
    "FoldReport",
    "LoopReport",
    "InvariantReport",
    "Histogram",
    "Invariant",
    "Objective",
    "Point",
    "PointProfile",
    "Profile",
    "ProfileEntry",
    "Remark",
    "Runtime",
    "SearchSpace",
    "Setting",
    "Site",
    "Space",
    "Statistics",
    "Strategy",
    "Trial",
    "VariantInfo",
    "Verification",
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
