# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import pickle

import pytest
from test_runtime import Matrix, N, Transpose

import sartor


@pytest.fixture
def runtime(library) -> sartor.Runtime:
    return sartor.Runtime(library)


def call(runtime: sartor.Runtime, rows: int, times: int) -> None:
    function = Transpose(runtime.function("transpose"))
    for _ in range(times):
        function(Matrix(), Matrix(), N, rows, 8)


def seen(profile: sartor.Profile) -> dict[object, int]:
    return {entry.inputs[0]: entry.count for entry in profile["rows"].entries}


def test_counts_what_points_see(runtime):
    runtime.instrument({"rows": 1})
    call(runtime, 8, 30)
    call(runtime, 4, 10)
    runtime.instrument({})
    call(runtime, 16, 5)
    profile = runtime.profile()
    assert seen(profile) == {8: 30, 4: 10}
    point = profile["rows"]
    assert (point.kind, point.type, point.count, point.error_bound) == ("enum", "u64", 40, 0)
    assert point.share(1) == 0.75
    assert "row" not in profile
    with pytest.raises(KeyError):
        profile["row"]


def test_comes_back_from_its_text_and_from_pickle(runtime, library):
    runtime.instrument({"rows": 1})
    call(runtime, 8, 3)
    profile = runtime.profile()
    assert sartor.Profile.from_json(profile.json()) == profile == pickle.loads(pickle.dumps(profile))
    later = sartor.Runtime(library)
    later.load_profile(profile)
    later.load_profile(profile)
    assert seen(later.profile()) == {8: 6}
    profile.merge(profile)
    assert seen(profile) == {8: 6}
    later.clear_profile()
    assert seen(later.profile()) == {}


def test_what_cannot_be_counted_is_refused(runtime):
    for every, code in [({"rovs": 1}, "unknown_label"), ({"rows": 0}, "bad_value_type")]:
        with pytest.raises(sartor.Error) as raised:
            runtime.instrument(every)
        assert raised.value.code == code
    with pytest.raises(sartor.Error) as raised:
        sartor.Profile.from_json("{")
    assert raised.value.code == "bad_json"
