# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import pickle
from collections.abc import Mapping
from types import MappingProxyType

import pytest

import sartor
from sartor import Configuration, Setting


def test_is_a_mapping_of_settings():
    configuration = Configuration({"N": [256, 64], "B": 16})
    assert isinstance(configuration, Mapping)
    assert list(configuration) == ["B", "N"]
    assert configuration["N"].values == (64, 256)
    assert configuration.items() == [("B", Setting(16)), ("N", sartor.any_of(64, 256))]
    assert "B" in configuration and "C" not in configuration and 3 not in configuration
    assert configuration.get("C") is None
    with pytest.raises(KeyError):
        configuration["C"]


def test_equal_ones_hash_alike_whatever_they_were_made_from():
    one = Configuration({"B": 16, "N": [64, 256]})
    other = Configuration(MappingProxyType({"N": (256, 64), "B": Setting(16)}))
    assert one == other == {"B": 16, "N": [64, 256]}
    assert hash(one) == hash(other)
    assert one != {"B": 16} and one != None and one != 3  # noqa: E711
    assert one != {1: 16} and one != {"B": 16, None: 1} and one != {"B": []}
    assert [{1: 16}, one].index(one) == 1


def test_changes_give_another():
    configuration = Configuration({"B": 16})
    assert configuration | {"N": 2, "B": 8} == {"B": 8, "N": 2}
    assert configuration.without("B") == {}
    assert configuration == {"B": 16}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"B": 16, "x": 0.5, "table": "table_a"},
        {"big": 2**64 - 1, "small": -(2**63)},
        {"N": sartor.unguarded([3, 4])},
    ],
)
def test_comes_back_from_its_text_and_from_pickle(settings):
    configuration = Configuration(settings)
    assert Configuration.from_json(configuration.json()) == configuration
    assert pickle.loads(pickle.dumps(configuration)) == configuration
    assert Configuration(configuration.to_dict()) == configuration


def test_reads_as_in_cpp():
    configuration = Configuration({"B": sartor.unguarded(16), "N": [64, 256]})
    assert str(configuration) == "{B=16!,N=64|256}"
    assert str(configuration["N"]) == "64|256"
    assert eval(repr(configuration)) == configuration


def test_numbers_keep_their_kind():
    configuration = Configuration({"i": 1, "f": 1.0, "b": True, "s": "1"})
    kinds = {label: type(setting.value) for label, setting in configuration.items()}
    assert kinds == {"i": int, "f": float, "b": int, "s": str}


@pytest.mark.parametrize("value", [None, [], 2**64, -(2**63) - 1, [1, None], "\ud800", object()])
def test_refuses_what_no_point_can_be_set_to(value):
    with pytest.raises(sartor.Error) as raised:
        Configuration({"B": value})
    assert raised.value.code == "bad_value_type"
    assert raised.value.subject == "B"
    assert raised.value.remedy


def test_refuses_what_is_no_mapping():
    with pytest.raises(TypeError):
        Configuration(3)
    with pytest.raises(TypeError):
        Configuration({3: 3})


def test_says_where_its_text_is_wrong():
    with pytest.raises(sartor.Error) as raised:
        Configuration.from_json('{"B":')
    assert raised.value.code == "bad_json"


def test_several_values_have_no_single_one():
    with pytest.raises(ValueError):
        _ = sartor.any_of(1, 2).value
