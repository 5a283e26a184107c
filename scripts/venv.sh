#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# venv.sh: a Python with the packages of bindings/requirements.txt in exactly those versions, in
# build/python/venv; made if it is not there. Prints the interpreter's path. Exits with 77 where the
# packages cannot be had, as without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/python
venv=$work/venv
mkdir -p "$work"
exec 8>"$work/venv.lock"
flock 8 # two at once would spoil it

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
