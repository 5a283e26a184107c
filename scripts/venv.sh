#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# venv.sh [REQUIREMENTS FOLDER [--check|PYTHON]]: makes a Python environment with the exact package
# versions of REQUIREMENTS (bindings/requirements.txt) in FOLDER/venv (build/python), if it is not
# there, by the interpreter PYTHON (/usr/bin/python3). Prints the path of its interpreter. Exits with
# 77 if the packages are not available, for example without a network. With --check, installs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
list=${1:-bindings/requirements.txt}
work=$PWD/${2:-build/python}
interpreter=/usr/bin/python3
[[ ${3:-} == --check ]] || interpreter=${3:-$interpreter}
venv=$work/venv
mkdir -p "$work"
exec 8>"$work/venv.lock"
flock 8 # concurrent builds would damage it

requirements=$(sha256sum <"$list")
if [[ ! -f $venv/requirements || $(<"$venv/requirements") != "$requirements" ]]; then
  if [[ ${3:-} == --check ]]; then
    echo "SKIPPED: the packages of $list are not in ${venv#"$PWD/"}" >&2
    exit 77
  fi
  rm -rf "$venv"
  if ! { "$interpreter" -m venv "$venv" &&
    "$venv/bin/python" -m pip install --quiet --no-deps -r "$list"; } \
    >"$work/venv.log" 2>&1 8>&-; then
    cat "$work/venv.log" >&2
    rm -rf "$venv"
    echo "SKIPPED: the packages of $list cannot be installed" >&2
    exit 77
  fi
  echo "$requirements" >"$venv/requirements"
fi
echo "$venv/bin/python"
