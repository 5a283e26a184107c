#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# declarations.sh SOURCE STAGE WORK: builds the project in SOURCE with the installed package, and again when its
# declarations change; a declaration that names nothing is an error.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
source=$1 stage=$2 work=$3

fail() {
  echo "$1"
  cat "$work.log"
  exit 1
}

for generator in Ninja 'Unix Makefiles'; do
  rm -rf "$work"
  mkdir -p "$work"
  cp -r "$source" "$work/the source"
  build() { cmake --build "$work/build" -j1 >"$work.log" 2>&1; }
  space() { "$stage/bin/sartor" space "$work/build/declarations"; }
  cmake -G "$generator" -S "$work/the source" -B "$work/build" -DCMAKE_PREFIX_PATH="$stage" \
    -DCMAKE_C_COMPILER=clang-$llvm -DCMAKE_CXX_COMPILER=clang++-$llvm >"$work.log" 2>&1 || fail "cannot be configured"
  build || fail "cannot be built"
  space | grep -q 'queue.sartor' || fail "the points' place is not said: $(space)"

  sleep 1 # for file systems with timestamps in seconds
  sed -i 's/parameter.order.label = "order"/parameter.order.label = "sequence"/' "$work/the source/queue.sartor"
  build || fail "cannot be built again"
  space | grep -q sequence || fail "nothing is built again: $(space)"

  sleep 1
  printf '%s\n' '[variable.threads]' 'is = "static"' >>"$work/the source/queue.sartor"
  ! build || fail "a declaration of nothing is built"
  grep -q 'queue.sartor:[0-9]*": no variable "threads" is defined' "$work.log" || fail "is not said:"
  # The error stays until it is fixed.
  ! build || fail "a declaration of nothing is built at the second time"
  sed -i '/variable.threads/,$d' "$work/the source/queue.sartor"
  build || fail "cannot be built when it is mended"
done
