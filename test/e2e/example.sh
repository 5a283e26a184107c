#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# example.sh SOURCE STAGE BUILD PATTERN: builds the project in SOURCE against the package in STAGE and runs its
# program from another folder; PATTERN must match the whole output. Uses the machine's default compiler if there is
# one, because users do.
set -euo pipefail
source=$1 stage=$2 build=$3 pattern=$4
rm -rf "$build"
mkdir -p "$(dirname "$build")"
compilers=()
if ! command -v c++ >/dev/null; then
  compilers=(-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
fi
if ! { cmake -G Ninja -S "$source" -B "$build" -DCMAKE_PREFIX_PATH="$stage" "${compilers[@]}" &&
  cmake --build "$build" -j1; } >"$build.log" 2>&1; then
  cat "$build.log"
  exit 1
fi
cd /
output=$("$build/$(basename "$build")" 2>&1) || { status=$?; echo "$output"; exit $status; }
echo "$output"
[[ $output =~ ^$pattern$ ]] || {
  echo "does not match: $pattern"
  exit 1
}
