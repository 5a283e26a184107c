#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# example.sh SOURCE STAGE BUILD PATTERN [TRIES]: builds the project in SOURCE against the package in STAGE and runs its
# program from another folder; PATTERN must match the whole output. Uses the machine's default compiler if there is
# one, because users do. A program that measures may see too much of what else a busy machine does, so that one of up to
# TRIES runs suffices.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
source=$1 stage=$2 build=$3 pattern=$4 tries=${5:-1}
rm -rf "$build"
mkdir -p "$(dirname "$build")"
compilers=()
if ! command -v c++ >/dev/null; then
  compilers=(-DCMAKE_C_COMPILER=clang-$llvm -DCMAKE_CXX_COMPILER=clang++-$llvm)
fi
if ! { cmake -G Ninja -S "$source" -B "$build" -DCMAKE_PREFIX_PATH="$stage" "${compilers[@]}" &&
  cmake --build "$build" -j1; } >"$build.log" 2>&1; then
  cat "$build.log"
  exit 1
fi
cd /
for ((i = 0; i < tries; ++i)); do
  status=0
  output=$("$build/$(basename "$build")" 2>&1) || status=$?
  echo "$output"
  if ((status == 77)); then exit 77; fi
  if ((status == 0)) && [[ $output =~ ^$pattern$ ]]; then exit 0; fi
done
if ((status != 0)); then exit "$status"; fi
echo "does not match: $pattern"
exit 1
