# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest
from conftest import EXAMPLES


@pytest.mark.parametrize("name", ["tune_with_own_strategy", "tune_with_optuna", "tune_within_bound"])
def test_runs(library, name):
    """A program with a real handler under load is tuned, and its results stay right."""
    if "optuna" in name:
        pytest.importorskip("optuna")
    program = [sys.executable, str(EXAMPLES / f"{name}.py"), library]
    ended = subprocess.run(program, timeout=300, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    best = r"best: \{(\w+=\d+!,?)*\}, [\d.e+-]+ (matrices/s|s)"
    assert re.search(best, ended.stdout), ended.stdout


def test_a_strategy_of_ones_own_takes_less_than_20_lines():
    source = (EXAMPLES / "own_strategy.py").read_text()
    (strategy,) = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    assert strategy.end_lineno - strategy.lineno + 1 < 20
