#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# specializes_in_a_constructor.sh PROGRAM LIBRARY CACHE: a library that waits for a variant in its constructor, while
# it is loaded, gets it. This also works if a cache has its opened module and only the variant needs the compiler.
set -euo pipefail
program=$1 library=$2 cache=$3
rm -rf "$cache"
export SARTOR_CACHE_DIR=$cache
unset SARTOR SARTOR_COMPILER SARTOR_EVENT_LOG

expect() {
  output=$(SETTING=$1 timeout 300 "$program" "$library") || {
    echo "$1: status $?: $output"
    exit 1
  }
  [[ $output == "$2" ]] || {
    echo "$1: $output"
    exit 1
  }
}

expect '{"n":3}' 'sum_of_squares{n=3} compiled'
expect '{"n":4}' 'sum_of_squares{n=4} compiled'
expect '{"n":3}' 'sum_of_squares{n=3} found'
