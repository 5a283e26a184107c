#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# python.sh BUILD [ARGUMENTS...]: builds the Python package against the build tree BUILD and
# installs it in the environment of scripts/venv.sh, then runs that Python with ARGUMENTS. Does only
# missing steps. Exits with 77 if the environment cannot be made, for example without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: scripts/python.sh BUILD_DIRECTORY [ARGUMENTS...]}")
shift
python=$(scripts/venv.sh)
wheel=$(scripts/compiled_wheel.sh "$build" "$python")
work=$PWD/build/python
exec 8>"$work/install.lock"
flock 8
sources=$(sha256sum "$wheel")
if [[ ! -f $work/venv/package || $(<"$work/venv/package") != "$sources" ]]; then
  "$python" -m pip --quiet install --no-index --no-deps --force-reinstall "$wheel" 8>&-
  echo "$sources" >"$work/venv/package"
fi
flock -u 8

export CMAKE_PREFIX_PATH=$work/stage # for handlers that Python builds
export SARTOR_BUILD=$build           # for tests that call scripts
(($# == 0)) || exec "$python" "$@"
