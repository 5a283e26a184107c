#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# python.sh BUILD [ARGUMENTS...]: builds the Python package against the build tree BUILD, in a virtual
# environment of its own (build/python/venv, with the versions of bindings/python/requirements.txt),
# then runs that Python with ARGUMENTS. Does only what is missing. Exits with 77 where the environment
# cannot be made, as without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: scripts/python.sh BUILD_DIRECTORY [ARGUMENTS...]}")
shift
package=bindings/python work=$PWD/build/python
venv=$work/venv python=$work/venv/bin/python
mkdir -p "$work"
exec 8>"$work/lock"
flock 8 # two at once would spoil it

# up_to_date STAMP WORDS: whether STAMP says WORDS.
up_to_date() { [[ -f $1 && $(<"$1") == "$2" ]]; }

requirements=$(sha256sum <"$package/requirements.txt")
if ! up_to_date "$venv/requirements" "$requirements"; then
  rm -rf "$venv"
  if ! { /usr/bin/python3 -m venv "$venv" &&
    "$python" -m pip install --quiet --no-deps -r "$package/requirements.txt"; } >"$work/venv.log" 2>&1; then
    cat "$work/venv.log"
    rm -rf "$venv"
    echo "SKIPPED: the Python packages of $package/requirements.txt cannot be had"
    exit 77
  fi
  echo "$requirements" >"$venv/requirements"
fi

# The package is built as its users do it: against an installed Sartor.
cmake --install "$build" --prefix "$work/stage" >"$work/stage.log"
sources=$(cat <(find "$package" include -type f -not -name '*.pyc' -not -path '*/tests/*' -print0 |
  sort -z | xargs -0 sha256sum) <(echo "$build $requirements") | sha256sum)
if ! up_to_date "$venv/package" "$sources"; then
  rm -f "$venv/package"
  if ! CC=clang-22 CXX=clang++-22 CMAKE_PREFIX_PATH=$work/stage "$python" -m pip install --quiet \
    --no-index --no-deps --no-build-isolation --force-reinstall "./$package" \
    --config-settings=build-dir="$work/build" >"$work/package.log" 2>&1; then
    cat "$work/package.log"
    exit 1
  fi
  echo "$sources" >"$venv/package"
fi
flock -u 8

export CMAKE_PREFIX_PATH=$work/stage # for handlers that Python builds
(($# == 0)) || exec "$python" "$@"
