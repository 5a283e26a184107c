#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# python.sh BUILD [ARGUMENTS...]: builds the Python package against the build tree BUILD and
# installs it in the environment of scripts/venv.sh, then runs that Python with ARGUMENTS. Does only
# missing steps. The build results are in build/python/wheel. Exits with 77 if the environment
# cannot be made, for example without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: scripts/python.sh BUILD_DIRECTORY [ARGUMENTS...]}")
shift
package=bindings/python work=$PWD/build/python
python=$(scripts/venv.sh)
stamp=$work/venv/package
exec 8>"$work/package.lock"
flock 8 # concurrent builds would damage it

# Builds the package as users do: against an installed Sartor.
cmake --install "$build" --prefix "$work/stage" >"$work/stage.log"
sources=$(cat <(find "$package" include "$work/stage/lib" -type f -not -name '*.pyc' -not -path '*/tests/*' \
  -print0 | sort -z | xargs -0 sha256sum) <(echo "$build") | sha256sum)
# Compiling takes most of the time.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
if [[ ! -f $stamp || $(<"$stamp") != "$sources" ]]; then
  rm -rf "$stamp" "$work/wheel"
  pip=("$python" -m pip --quiet)
  if ! { CC=clang-22 CXX=clang++-22 CMAKE_PREFIX_PATH=$work/stage "${pip[@]}" wheel \
    --no-index --no-deps --no-build-isolation "./$package" --wheel-dir "$work/wheel" \
    --config-settings=build-dir="$work/build" \
    --config-settings=cmake.define.CMAKE_COMPILE_WARNING_AS_ERROR=ON &&
    "${pip[@]}" install --no-index --no-deps --force-reinstall "$work"/wheel/*.whl; } \
    >"$work/package.log" 2>&1 8>&-; then
    cat "$work/package.log"
    exit 1
  fi
  echo "$sources" >"$stamp"
fi
flock -u 8

unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
export CMAKE_PREFIX_PATH=$work/stage # for handlers that Python builds
export SARTOR_BUILD=$build           # for tests that call scripts
(($# == 0)) || exec "$python" "$@"
