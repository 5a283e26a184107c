# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package by itself."""

from __future__ import annotations

import ast
import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import pytest
from conftest import ROOT, SIDECAR, SPACE

SOURCES = sorted((SIDECAR / "sartor_sidecar").glob("*.py"))


def exchange(path: str, *requests: object) -> list[dict[str, object]]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        with connection.makefile("rw") as lines:
            answers = []
            for one in requests:
                print(json.dumps(one), file=lines, flush=True)
                answers.append(json.loads(lines.readline()))
            return answers


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the sidecar and what it says that it needs, and nothing else."""
    place = tmp_path_factory.mktemp("alone")
    venv.create(place / "venv", with_pip=True)
    python = place / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pins = ["-c", ROOT / "bindings" / "requirements.txt"]
    needed = subprocess.run([*pip, *pins, "optuna", "cmaes", "redis", "flit_core"], capture_output=True, text=True)
    if needed.returncode != 0:
        pytest.skip("SKIPPED: the sidecar's dependencies cannot be had: " + needed.stderr.strip()[-200:])
    shutil.copytree(SIDECAR, place / "source")  # building leaves nothing in the source tree
    subprocess.run([*pip, "--no-index", "--no-build-isolation", f"{place / 'source'}[redis]"], check=True)
    subprocess.run([python, "-m", "pip", "check"], check=True)
    return python


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_runs_where_sartor_is_not_until_it_is_told_to_end(
    alone: Path, store: str, number: signal.Signals, code: int
) -> None:
    missing = subprocess.run([alone, "-I", "-c", "import sartor"], capture_output=True, text=True)
    assert "ModuleNotFoundError" in missing.stderr
    with tempfile.TemporaryDirectory(prefix="sartor-") as directory:
        path = f"{directory}/socket"
        program = alone.parent / "sartor-sidecar"
        patient = f"{store}?socket_timeout=60&socket_connect_timeout=60"  # for a Redis on a busy machine
        sidecar = subprocess.Popen([program, "--storage", patient, "--socket", path])
        try:
            end = time.monotonic() + 300
            while not Path(path).exists() and sidecar.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            opened, asked = exchange(path, {"open": {"space": SPACE, "study": "s", "content": "c"}}, {"ask": 1})
            assert opened == {"ok": True}
            assert len(asked["trials"]) == 1  # type: ignore[arg-type]
        finally:
            sidecar.send_signal(number)
            assert sidecar.wait(300) == code
        assert not Path(path).exists()


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_uses_public_interfaces_only(source: Path) -> None:
    """Its own privates are those of `self`; nobody else's are touched."""
    tree = ast.parse(source.read_text())
    private = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and ast.unparse(node.value) != "self"
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [*node.module.split("."), *(name.name for name in node.names)]
            private += [f"line {node.lineno}" for name in names if name.startswith("_") and name != "__future__"]
    assert private == []


def test_has_the_types_that_it_says() -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", SIDECAR / "pyproject.toml", SIDECAR / "sartor_sidecar"]
    checked = subprocess.run(command, cwd=SIDECAR, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
