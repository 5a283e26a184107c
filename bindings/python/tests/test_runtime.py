# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import ctypes
import multiprocessing
import os
import subprocess
import sys

import pytest

import sartor

N = 24
Matrix = ctypes.c_float * (N * N)
Transpose = ctypes.CFUNCTYPE(None, Matrix, Matrix, *[ctypes.c_size_t] * 3)


@pytest.fixture
def runtime(library) -> sartor.Runtime:
    return sartor.Runtime(library)


def transposed(runtime: sartor.Runtime, rows: int = 8, columns: int = 8) -> bool:
    matrix, result = Matrix(*range(N * N)), Matrix()
    Transpose(runtime.function("transpose"))(matrix, result, N, rows, columns)
    return all(result[x * N + y] == matrix[y * N + x] for x in range(N) for y in range(N))


def test_opens_the_handlers_of_a_library(runtime):
    assert runtime.active
    assert runtime.handlers == ["transpose"]
    point = runtime.space().find("rows")
    assert (point.kind, point.type, point.choices) == ("enum", "u64", [1, 4, 8, 16, 32, 64])
    assert point.sites[0].file.endswith("transpose.c")
    assert runtime.space().find("row") is None
    assert [point.label for point in runtime.space().points] == ["columns", "rows"]


def specialize_in_child(runtime: sartor.Runtime, rows: int, result) -> None:
    runtime.specialize({"rows": rows})
    result.put(transposed(runtime, rows) and runtime.configuration["rows"].values == (rows,))


def test_child_processes_specialize_for_themselves(library):
    runtime = sartor.Runtime(library, quick_tier=False)  # no thread compiles in the background at fork()
    runtime.specialize({"rows": 8})
    fork = multiprocessing.get_context("fork")
    for rows in (4, 16):
        result = fork.SimpleQueue()
        child = fork.Process(target=specialize_in_child, args=(runtime, rows, result))
        child.start()
        assert result.get()
        child.join(300)
        assert child.exitcode == 0
    assert transposed(runtime)


def test_a_variant_does_what_the_native_code_does(runtime):
    assert transposed(runtime)
    (variant,) = runtime.specialize({"rows": 8, "columns": [4, 8]})
    assert variant.name == "transpose{columns=4|8,rows=8}"
    assert variant.code_bytes > 0 and variant.compile_time > 0
    assert runtime.configuration == {"rows": 8, "columns": [4, 8]}
    assert transposed(runtime)
    assert transposed(runtime, rows=4)
    assert runtime.statistics().guard_failures["rows"] > 0
    runtime.specialize({})
    assert runtime.configuration == {}
    assert transposed(runtime)


def test_what_was_prepared_is_there(runtime):
    runtime.prepare({"rows": 16})
    assert runtime.configuration == {}
    compiles = runtime.statistics().compiles
    (variant,) = runtime.specialize({"rows": 16})
    assert variant.compile_time == 0
    assert runtime.statistics().compiles == compiles


def test_errors_say_what_to_do_and_change_nothing(runtime):
    runtime.specialize({"rows": 8})
    with pytest.raises(sartor.Error) as raised:
        runtime.specialize({"rovs": 8})
    assert (raised.value.code, raised.value.subject) == ("unknown_label", "rovs")
    assert "rows" in str(raised.value)
    with pytest.raises(sartor.Error) as raised:
        runtime.space().check({"rows": 7})
    assert raised.value.code == "value_outside_choices"
    with pytest.raises(sartor.Error) as raised:
        runtime.function("transport")
    assert raised.value.code == "unknown_handler"
    assert runtime.configuration == {"rows": 8}


def test_constraints_forbid(runtime):
    runtime.constrain(sartor.Constraints(relations=["rows * columns <= 256"]))
    assert runtime.space().constraints.relations == ["rows * columns <= 256"]
    with pytest.raises(sartor.Error) as raised:
        runtime.specialize({"rows": 64, "columns": 64})
    assert raised.value.code == "forbidden_configuration"
    space = sartor.SearchSpace.of(runtime.space(), {"rows": [8, 64]})
    assert not space.allows({"rows": 64, "columns": 8})


def test_files_that_are_no_handler_modules_are_refused(tmp_path):
    with pytest.raises(sartor.Error) as raised:
        sartor.Runtime(tmp_path / "missing.bc")
    assert raised.value.code == "file_error"
    with pytest.raises(sartor.Error) as raised:
        sartor.Runtime("/lib/x86_64-linux-gnu/libm.so.6")
    assert raised.value.code == "no_handler_module"
    damaged = tmp_path / "damaged.so"
    damaged.write_bytes(b"\x7fELF and nothing more")
    with pytest.raises(sartor.Error) as raised:
        sartor.Runtime(damaged)
    assert raised.value.code == "file_error"


def test_a_stripped_library_still_has_its_handlers(library, tmp_path):
    stripped = tmp_path / "libstripped.so"
    subprocess.run(["llvm-strip-" + os.environ.get("SARTOR_LLVM", "22"), "-o", stripped, library], check=True)
    assert sartor.Runtime(stripped).handlers == ["transpose"]


def test_switched_off_it_calls_the_native_code(library):
    program = f"""
import sartor
runtime = sartor.Runtime({library!r})
assert not runtime.active and runtime.specialize({{"rows": 8}}) == []
assert runtime.function("transpose")
"""
    switched_off = {**os.environ, "SARTOR": "off"}
    subprocess.run([sys.executable, "-c", program], env=switched_off, check=True)
