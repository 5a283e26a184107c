# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is returned to a program can be pickled, copied and printed, so that a worker process may return it."""

from __future__ import annotations

import copy
import ctypes
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest

import sartor

N = 24
Matrix = ctypes.c_float * (N * N)
Transpose = ctypes.CFUNCTYPE(None, Matrix, Matrix, *[ctypes.c_size_t] * 3)


def values_of(library: str) -> list[object]:
    """One of each type, as a runtime gives them."""
    runtime = sartor.Runtime(library)
    matrix, result = Matrix(*range(N * N)), Matrix()
    runtime.instrument({"rows": 1})
    Transpose(runtime.function("transpose"))(matrix, result, N, 8, 8)
    profile = runtime.profile()
    runtime.instrument({})
    (variant,) = runtime.specialize({"rows": 8, "columns": [4, 8]})
    with sartor.Invariant(matrix):
        bound = runtime.bind("transpose", {0: ctypes.addressof(matrix), 2: N, 3: 8, 4: 8}).wait()
    runtime.specialize({})
    space = runtime.space()
    searched = sartor.SearchSpace.of(space)
    constraints = sartor.Constraints(
        ["rows * columns <= 512"], {"rows": sartor.Condition("columns", [8])}, [{"rows": 64}]
    )
    decision = sartor.Decision({"rows": 8}, sartor.Estimate(1, 0.5, 1.5, 7))
    return [
        profile,
        profile["rows"],
        profile["rows"].entries[0],
        variant,
        variant.configuration,
        variant.configuration["rows"],
        sartor.unguarded([4, 8]),
        variant.fold_report,
        bound.fold_report,
        bound.fold_report.invariants[0],
        *bound.fold_report.loops[:1],
        runtime.statistics(),
        space,
        space.points[0],
        space.points[0].sites[0],
        searched,
        searched.dimensions[0],
        constraints,
        constraints.conditions["rows"],
        decision,
        decision.estimate,
        sartor.Verification(every=3),
        sartor.Trial({"rows": 8}, 1.5, 0.1, 3, False, True),
        sartor.Error("unknown_label", "row", "there is no such point", 'try "rows"'),
    ]


def state_of(value: object) -> object:
    return pickle.dumps(value)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_all_values_are_pickled(library, protocol):
    for value in values_of(library):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert type(again) is type(value)
        assert state_of(again) == state_of(value), value
        assert repr(again) == repr(value)
        assert " object at 0x" not in repr(value)


def test_all_values_are_copied(library):
    for value in values_of(library):
        for again in (copy.copy(value), copy.deepcopy(value)):
            assert type(again) is type(value) and again is not value
            assert state_of(again) == state_of(value), value


def attributes_of(value: object) -> dict[str, str]:
    attributes = {}
    for name in dir(value):
        try:
            attribute = getattr(value, name)
        except ValueError:  # Setting.value of several
            continue
        if not name.startswith("_") and not callable(attribute):
            attributes[name] = repr(attribute)
    return attributes


def test_a_copy_has_the_same_attributes(library):
    for value in values_of(library):
        assert attributes_of(copy.deepcopy(value)) == attributes_of(value)


def test_a_worker_process_returns_values(library):
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as workers:
        values = workers.submit(values_of, library).result(timeout=300)
    assert [type(value) for value in values] == [type(value) for value in values_of(library)]
    assert values[3].name == "transpose{columns=4|8,rows=8}"


def test_a_runtime_is_not_pickled(library):
    with pytest.raises(TypeError):
        pickle.dumps(sartor.Runtime(library))
