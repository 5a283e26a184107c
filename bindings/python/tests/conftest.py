# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds examples as their users do, against the Sartor that the package was built with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

LLVM = os.environ.get("SARTOR_LLVM", "22")  # the major version that Sartor is built with
ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "python"


def build_example(source: Path) -> Path:
    """Where what it makes is then."""
    build = ROOT / "build" / "python" / "example" / source.name
    compilers = {"CC": os.environ.get("CC", "clang-" + LLVM), "CXX": os.environ.get("CXX", "clang++-" + LLVM)}
    for command in (["-G", "Ninja", "-S", source, "-B", build], ["--build", build]):
        made = subprocess.run(
            ["cmake", *map(str, command)],
            env={**os.environ, **compilers},
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stdout + made.stderr
    return build


@pytest.fixture(scope="session")
def library() -> str:
    """The shared library with the handler `transpose`."""
    return str(build_example(EXAMPLES) / "libtranspose.so")
