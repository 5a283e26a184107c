# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bound arguments, and memory that is promised not to change."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor

import pytest

import sartor

N = 24
Matrix = ctypes.c_float * (N * N)
Transpose = ctypes.CFUNCTYPE(None, Matrix, Matrix, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_size_t)


@pytest.fixture
def runtime(library) -> sartor.Runtime:
    return sartor.Runtime(library)


def is_transposed(result, matrix) -> bool:
    return all(result[x * N + y] == matrix[y * N + x] for x in range(N) for y in range(N))


def test_a_binding_takes_what_is_left(runtime):
    matrix, result = Matrix(*range(N * N)), Matrix()
    with runtime.bind("transpose", {2: N, 3: 8, 4: 8}) as binding:
        binding.wait()
        assert runtime.statistics().variants == 1
        ctypes.CFUNCTYPE(None, Matrix, Matrix)(binding.function)(matrix, result)
        assert is_transposed(result, matrix)
    with pytest.raises(ValueError):
        _ = binding.function
    binding.release()


def test_equal_bindings_share_a_variant(runtime):
    bindings = [runtime.bind("transpose", {2: N, 3: 8, 4: 8}) for _ in range(20)]
    bindings[-1].wait()
    assert runtime.statistics().variants == 1


def test_a_binding_outlives_its_runtime(library):
    binding = sartor.Runtime(library).bind("transpose", {2: N, 3: 4, 4: 4})
    binding.wait()
    matrix, result = Matrix(*range(N * N)), Matrix()
    ctypes.CFUNCTYPE(None, Matrix, Matrix)(binding.function)(matrix, result)
    assert is_transposed(result, matrix)


def test_a_binding_may_be_released_while_another_thread_waits_for_it(runtime):
    with ThreadPoolExecutor(2) as threads:
        for size in range(1, N + 1):
            binding = runtime.bind("transpose", {2: N, 3: size, 4: size})
            waiting = [threads.submit(binding.wait) for _ in range(2)]
            binding.release()
            for each in waiting:
                if each.exception() is None:
                    assert each.result().handler == "transpose"
                else:  # it was released before the thread began
                    assert isinstance(each.exception(), ValueError)


def test_what_cannot_be_bound_is_refused(runtime):
    for handler, arguments in [("transport", {2: N}), ("transpose", {7: N}), ("transpose", {2: bytes(3)})]:
        with pytest.raises(sartor.Error) as raised:
            runtime.bind(handler, arguments)
        assert raised.value.code in ("unknown_handler", "bad_binding")
    with pytest.raises((TypeError, BufferError)):
        runtime.bind("transpose", {2: "24"})
    with pytest.raises(sartor.Error) as raised:
        runtime.limit_bindings("transport", 2)
    assert raised.value.code == "unknown_handler"
    runtime.limit_bindings("transpose", 2, [4, 3])


def test_invariant_memory_is_known_until_the_invariant_is_revoked(runtime):
    matrix, result = Matrix(*range(N * N)), Matrix()
    with sartor.Invariant(matrix) as invariant:
        assert invariant.valid and invariant.number > 0
        arguments = {0: ctypes.addressof(matrix), 2: N, 3: 8, 4: 8}
        binding = runtime.bind("transpose", arguments)
        fold_report = binding.wait().fold_report
        assert binding.ready
        assert [(each.invariant, each.depended_on) for each in fold_report.invariants] == [(invariant.number, True)]
        assert fold_report.invariants[0].loads > 0 and fold_report.indirect_calls == fold_report.indirect_jumps == 0
        bound = ctypes.CFUNCTYPE(None, Matrix)(binding.function)
        bound(result)
        assert is_transposed(result, matrix)
        replugs = runtime.statistics().replugs
    assert not invariant.valid and invariant.reusable
    assert runtime.statistics().replugs > replugs
    matrix[:] = list(reversed(range(N * N)))
    bound(result)
    assert is_transposed(result, matrix)


def test_what_is_invariant_stays_until_then():
    memory = bytearray(64)
    invariant = sartor.Invariant(memory)
    with pytest.raises(BufferError):
        memory.append(1)
    invariant.invalidate()
    memory.append(1)


def test_declares_addresses_invariant_and_adds_more():
    matrix, more = Matrix(), Matrix()
    invariant = sartor.Invariant(ctypes.addressof(matrix), ctypes.sizeof(matrix))
    invariant.add(more)
    invariant.add(ctypes.addressof(more), 16)
    number = invariant.number
    invariant.invalidate_later()
    assert not invariant.valid
    invariant.add(more)
    assert invariant.valid and invariant.number > number
    assert not sartor.Invariant().valid


def test_an_invariant_about_nothing_is_refused(runtime):
    with pytest.raises(sartor.Error) as raised:
        sartor.Invariant(b"")
    assert raised.value.code == "bad_invariant"
    with pytest.raises((TypeError, BufferError)):
        sartor.Invariant(3.5)
    with pytest.raises(sartor.Error) as raised:
        runtime.tie("nothing", sartor.Invariant(bytes(8)))
    assert raised.value.code == "unknown_label"


def test_at_the_end_of_a_block_the_native_code_is_active(runtime):
    with runtime as same:
        assert same is runtime
        runtime.instrument({"rows": 1})
        runtime.specialize({"rows": 8})
        function = runtime.function("transpose")
    assert runtime.configuration == {}
    matrix, result = Matrix(*range(N * N)), Matrix()
    Transpose(function)(matrix, result, N, 8, 8)
    assert is_transposed(result, matrix)
    assert runtime.profile()["rows"].count == 0
