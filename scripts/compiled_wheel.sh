#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compiled_wheel.sh BUILD PYTHON: compiles the Python package for the interpreter PYTHON, which is in
# FOLDER/venv/bin, against the build tree BUILD; prints the path of the wheel, in FOLDER/wheel. The
# wheel needs the libraries of this machine. Does only missing steps.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: scripts/compiled_wheel.sh BUILD_DIRECTORY PYTHON}")
python=$2 work=${2%/venv/bin/python} package=bindings/python stage=$PWD/build/python/stage
mkdir -p build/python
exec 8>build/python/package.lock
flock 8 # concurrent builds would damage it

# Builds the package as users do: against an installed Sartor.
cmake --install "$build" --prefix "$stage" >"$stage.log"
sources=$(cat <(find "$package" include "$stage/lib" -type f -not -name '*.pyc' -not -path '*/tests/*' \
  -print0 | sort -z | xargs -0 sha256sum) <(echo "$build") "$work/venv/requirements" | sha256sum)
# Compiling takes most of the time.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
if [[ ! -f $work/compiled || $(<"$work/compiled") != "$sources" ]]; then
  rm -rf "$work/compiled" "$work/wheel"
  if ! CC=clang-${SARTOR_LLVM:-22} CXX=clang++-${SARTOR_LLVM:-22} CMAKE_PREFIX_PATH=$stage "$python" -m pip --quiet wheel \
    --no-index --no-deps --no-build-isolation "./$package" --wheel-dir "$work/wheel" \
    --config-settings=build-dir="$work/build" \
    --config-settings=cmake.define.CMAKE_COMPILE_WARNING_AS_ERROR=ON >"$work/package.log" 2>&1 8>&-; then
    cat "$work/package.log" >&2
    exit 1
  fi
  echo "$sources" >"$work/compiled"
fi
echo "$work"/wheel/*.whl
