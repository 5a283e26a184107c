#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# matrix_server.sh SOURCE STAGE BUILD: builds the demo as a project by itself with the package in STAGE, and runs it
# briefly; every product that it checks must be right.
set -euo pipefail
source=$1 stage=$2 build=$3
rm -rf "$build"
mkdir -p "$build"
if ! { cmake -G Ninja -S "$source" -B "$build" -DCMAKE_PREFIX_PATH="$stage" \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 &&
  cmake --build "$build" -j1; } >"$build.log" 2>&1; then
  cat "$build.log"
  exit 1
fi
output=$("$build/matmul_demo" --seconds 1 --self-check --output "$build/demo" 2>&1) || { status=$?; echo "$output"; exit $status; }
echo "$output"
grep -qE '[1-9][0-9]* of them checked.*, 0 wrong' <<<"$output"
