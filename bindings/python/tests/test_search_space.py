# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import random

import pytest

import sartor
from sartor import Condition, Constraints, Dimension, SearchSpace


def test_numbers_are_ordered_and_symbols_are_not():
    space = SearchSpace({"table": ["b", "a"], "B": [16, 4, 8]})
    assert [dimension.label for dimension in space.dimensions] == ["B", "table"]
    assert [dimension.is_ordered for dimension in space.dimensions] == [True, False]
    assert [setting.value for setting in space.dimensions[0].settings] == [4, 8, 16]
    assert not Dimension("B", [1, 2], is_ordered=False).is_ordered


def test_a_configuration_has_coordinates():
    space = SearchSpace({"a": [1, 2, 3], "b": ["x", "y"]})
    assert space.at([0, 2]) == {"b": "y"}
    assert space.coordinates_of({"a": 2}) == [2, 0]
    assert space.coordinates_of({"a": 7}) is None
    with pytest.raises(IndexError):
        space.at([4, 0])
    with pytest.raises(ValueError):
        space.at([1])


def test_allows_what_keeps_to_it():
    space = SearchSpace({"a": [1, 2, 3], "b": ["x", "y"]})
    assert space.allows({"a": 1}) and space.allows([1, 0])
    assert not space.allows({"a": 7}) and not space.allows({"c": 1})
    assert not space.allows([4, 0]) and not space.allows([-1, 0]) and not space.allows([1])


def constrained() -> SearchSpace:
    return SearchSpace(
        {"Ti": [8, 16, 64], "Tj": [8, 16, 64], "mode": ["a", "b"], "depth": [1, 2]},
        Constraints(
            relations=["Ti * Tj <= 256"],
            conditions={"depth": Condition("mode", ["b"])},
            forbidden=[sartor.Configuration({"Ti": 8, "mode": "a"})],
        ),
    )


def test_constraints_are_part_of_it():
    space = constrained()
    assert space.allows({"Ti": 16, "Tj": 16, "mode": "b", "depth": 2})
    assert not space.allows({"Ti": 64, "Tj": 16})
    assert not space.allows({"depth": 2, "mode": "a"})
    assert not space.allows({"Ti": 8, "mode": "a"})
    assert all(space.allows(one) for one in space.all())
    assert SearchSpace.from_json(space.json()) == space


def test_chooses_at_random_what_it_allows():
    space, generator = constrained(), random.Random(1)
    chosen = [space.random(generator) for _ in range(50)]
    assert all(space.allows(one) for one in chosen)
    assert len(set(chosen)) > 10
    assert space.random(random.Random(7)) == space.random(random.Random(7))


def test_refuses_a_dimension_without_settings():
    with pytest.raises(sartor.Error) as raised:
        SearchSpace({"a": []})
    assert raised.value.code == "bad_objective"


def test_refuses_a_relation_that_cannot_be_read():
    with pytest.raises(sartor.Error) as raised:
        SearchSpace({"a": [1]}, Constraints(relations=["a * <= 3"]))
    assert raised.value.code == "bad_constraint"
