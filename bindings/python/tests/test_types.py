# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types that the package says it has: against the module, and as programs use them."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import sartor

pytest.importorskip("mypy")
HERE = Path(__file__).resolve().parent


def check(*command: str | Path) -> None:
    """Outside of the source tree, so that the installed package is what is found."""
    ended = subprocess.run([sys.executable, "-m", *command], cwd="/", capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def mypy(tmp_path: Path, *what: str | Path) -> None:
    check("mypy", "--strict", "--warn-unused-ignores", "--cache-dir", tmp_path, *what)


def test_a_typed_program_is_taken_and_a_wrong_one_is_not(tmp_path):
    mypy(tmp_path, HERE / "typed" / "program.py")


def test_the_package_is_typed(tmp_path):
    mypy(tmp_path, "-p", "sartor")


def names_in(body: list[ast.stmt]) -> set[str]:
    named = [node for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    return {node.name for node in named if not node.name.startswith("_")}


@pytest.mark.parametrize("name", ["_sartor", "_bpf"])
def test_the_stubs_name_what_the_module_has(name):
    stub = ast.parse((Path(sartor.__file__).parent / f"{name}.pyi").read_text())
    module = importlib.import_module(f"sartor.{name}")
    public = {name for name in vars(module) if not name.startswith("_")}
    assert names_in(stub.body) == public
    assert all(getattr(sartor, name) is getattr(module, name) for name in public)
    assert name == "_bpf" or public <= set(sartor.__all__)
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            members = {name for name in vars(getattr(module, node.name)) if not name.startswith("_")}
            assert names_in(node.body) == members, node.name
