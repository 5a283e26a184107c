#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# venv.sh: makes a Python environment with the exact package versions of bindings/requirements.txt
# in build/python/venv, if it is not there. Prints the interpreter's path. Exits with 77 if the
# packages are not available, for example without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/python
venv=$work/venv
mkdir -p "$work"
exec 8>"$work/venv.lock"
flock 8 # concurrent builds would damage it

requirements=$(sha256sum <bindings/requirements.txt)
if [[ ! -f $venv/requirements || $(<"$venv/requirements") != "$requirements" ]]; then
  rm -rf "$venv"
  if ! { /usr/bin/python3 -m venv "$venv" &&
    "$venv/bin/python" -m pip install --quiet --no-deps -r bindings/requirements.txt; } \
    >"$work/venv.log" 2>&1 8>&-; then
    cat "$work/venv.log" >&2
    rm -rf "$venv"
    echo "SKIPPED: the packages of bindings/requirements.txt cannot be had" >&2
    exit 77
  fi
  echo "$requirements" >"$venv/requirements"
fi
echo "$venv/bin/python"
