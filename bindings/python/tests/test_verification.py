# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison of variants with the native code."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT, build_example

import sartor

Scale = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long, ctypes.c_long)


@pytest.fixture(autouse=True)
def own_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment has precedence over options; other tests run without comparison."""
    for name in ("SARTOR_VERIFY", "SARTOR_STATE_DIR", "SARTOR_SHARE_QUARANTINE", "SARTOR_EVENT_LOG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def scale() -> str:
    """The library with the handler `scale`."""
    return str(build_example(Path(__file__).parent / "compared") / "libscale.so")


def called_until(runtime: sartor.Runtime, holds: Callable[[], bool]) -> bool:
    function = Scale(runtime.function("scale"))
    end = time.monotonic() + 300
    while not holds() and time.monotonic() < end:
        assert function(20, 2) == 41
        time.sleep(0.001)
    return holds()


def test_the_defaults_are_those_of_cpp():
    on = sartor.Verification()
    assert (on.first_calls, on.budget, on.every, on.tolerance) == (100, 0.001, 0, 1e-6)
    assert repr(on) == "Verification(first_calls=100, budget=0.001, every=0, tolerance=1e-06)"
    assert on == sartor.Verification(first_calls=100) != sartor.Verification(every=1)


def test_wrong_values_are_refused(scale):
    with pytest.raises(TypeError):
        sartor.Verification(every=-1)
    with pytest.raises(TypeError):
        sartor.Verification(3)
    with pytest.raises(ValueError, match="verify: write"):
        sartor.Runtime(scale, verify="sometimes")
    with pytest.raises(TypeError):
        sartor.Runtime(scale, verify=3)


@pytest.mark.parametrize("verify", ["on", "all", sartor.Verification(first_calls=0, budget=0, every=3)])
def test_calls_are_compared(scale, tmp_path, verify):
    runtime = sartor.Runtime(scale, verify=verify, state_directory=tmp_path / "state")
    runtime.specialize({"by": 2})
    assert called_until(runtime, lambda: runtime.statistics().verified > 10)
    assert runtime.statistics().differences == 0


def test_off_compares_nothing(scale):
    runtime = sartor.Runtime(scale, verify="off")
    runtime.specialize({"by": 2})
    function = Scale(runtime.function("scale"))
    assert [function(20, 2) for _ in range(200)] == [41] * 200
    assert runtime.statistics().verified == 0


def test_an_event_says_what_cannot_be_compared(library, tmp_path):
    runtime = sartor.Runtime(library, verify="all", event_log=tmp_path / "log", state_directory=tmp_path / "state")
    runtime.specialize({"rows": 8})

    def found() -> list[dict[str, object]]:
        events = map(json.loads, (tmp_path / "log").read_text().splitlines())
        return [event for event in events if event["event"] == "not_compared"]

    end = time.monotonic() + 300
    while not found() and time.monotonic() < end:
        time.sleep(0.01)
    (event,) = found()
    assert (event["handler"], event["reason"]) == ("transpose", "atomics")
    assert event["file"].endswith("transpose.c") and event["line"] > 0 and event["remedy"]


def test_the_quarantine_is_in_the_state_directory(scale, tmp_path):
    """While others can write to it, everything is quarantined."""
    (tmp_path / "state" / "quarantine").mkdir(parents=True)
    (tmp_path / "state" / "quarantine").chmod(0o777)
    with pytest.raises(sartor.Error) as caught:
        sartor.Runtime(scale, state_directory=tmp_path / "state").specialize({"by": 2})
    assert str(tmp_path / "state") in caught.value.subject
    sartor.Runtime(scale, state_directory=tmp_path / "other").specialize({"by": 2})


@pytest.fixture
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Redis server."""
    stores = ROOT / "scripts" / "stores.sh"
    folder = tmp_path_factory.mktemp("r")
    started = subprocess.run([stores, "start", "redis", folder], capture_output=True, text=True)
    if started.returncode != 0:
        pytest.skip(f"SKIPPED: there is no Redis: {started.stderr}")
    yield started.stdout.strip()
    subprocess.run([stores, "stop", folder], check=True)


CRASHES = """
import ctypes, sartor, sys
library, state, address, key = sys.argv[1:]
runtime = sartor.Runtime(library, state_directory=state, share_quarantine=True, shared_cache=address,
                         shared_cache_key=key, verify=sartor.Verification(first_calls=0, every=1_000_000))
runtime.specialize({"rows": 8})
transpose = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * 5)(runtime.function("transpose"))
transpose(0, 0, 24, 8, 8)
"""


def test_a_crash_is_shared(library, tmp_path, redis):
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    shared = {"shared_cache": redis, "shared_cache_key": key}
    crashed = subprocess.run([sys.executable, "-c", CRASHES, library, tmp_path / "one", redis, key])
    assert crashed.returncode < 0, "a signal"
    # The next process of that user shares it with others.
    with sartor.Runtime(library, state_directory=tmp_path / "one", share_quarantine=True, **shared) as next_process:
        next_process.specialize({"rows": 16})

    def code(share_quarantine: bool) -> str:
        other = sartor.Runtime(
            library, state_directory=tmp_path / "other", share_quarantine=share_quarantine, **shared
        )
        try:
            other.specialize({"rows": 8})
        except sartor.Error as error:
            return error.code
        return ""

    end = time.monotonic() + 300
    while code(True) != "quarantined" and time.monotonic() < end:
        time.sleep(0.1)
    assert code(True) == "quarantined"
    assert code(False) == ""
