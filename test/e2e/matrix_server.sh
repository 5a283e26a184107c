#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# matrix_server.sh SOURCE STAGE BUILD [TARGET]: builds the demo as a project by itself with the package in STAGE. With
# TARGET, it begins anew and builds this alone; without, it builds the rest and runs the demo briefly: every product that
# the demo checks must be right.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
source=$1 stage=$2 build=$3 target=${4:-}
[ -z "$target" ] || rm -rf "$build"
mkdir -p "$build"
if ! { cmake -G Ninja -S "$source" -B "$build" -DCMAKE_PREFIX_PATH="$stage" \
  -DCMAKE_C_COMPILER=clang-$llvm -DCMAKE_CXX_COMPILER=clang++-$llvm &&
  cmake --build "$build" -j1 ${target:+--target "$target"}; } >"$build.log" 2>&1; then
  cat "$build.log"
  exit 1
fi
[ -z "$target" ] || exit 0
output=$("$build/matmul_demo" --seconds 1 --self-check --output "$build/demo" 2>&1) || { status=$?; echo "$output"; exit $status; }
echo "$output"
grep -qE '[1-9][0-9]* of them checked.*, 0 wrong' <<<"$output"
