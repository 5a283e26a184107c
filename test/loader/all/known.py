# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differences that are what a way is, with the reasons: known.txt."""

import functools
import pathlib
import re


@functools.cache
def _entries():
    lines = (pathlib.Path(__file__).parent / "known.txt").read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.split(" | ")] for line in lines if line and line[0] != "#"]


def reason(way, name, why):
    """Why it is no mistake that something differs; None if it is one."""
    for where, who, what, because in _entries():
        if re.fullmatch(where, way) and re.search(who, name) and re.search(what, why):
            return because
    return None
