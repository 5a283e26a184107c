# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What there is to try: the rows of the matrix, in order. features.py and programs.py fill it."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass
class Row:
    kind: str
    name: str
    run: Callable
    needs: tuple = ()  # programs that must exist
    untouched: bool = False  # the loader may leave the program to the stock one
    different: tuple = ()  # (pattern, by): text that always differs between runs


ROWS = []


def _adds(kind, name, options):
    def add(function):
        ROWS.append(Row(kind, name, function, **options))
        return function

    return add


def feature(name, **options):
    return _adds("feature", name, options)


def program(name, **options):
    return _adds("program", name, options)
