#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# debugger_test.sh PROGRAM: gdb stops in a function that a variant has called, and shows the variant by its name,
# between its caller and the called function. Exits with 77 (skipped) if gdb is not installed.
set -euo pipefail
command -v gdb >/dev/null || {
  echo "gdb is not installed"
  exit 77
}
trace=$(gdb -batch -nx -iex 'set auto-load no' -iex 'set debuginfod enabled off' \
  -ex 'set breakpoint pending on' -ex 'break throw_number' -ex run -ex backtrace -ex kill "$1" 2>&1)
echo "$trace"
grep -Eq '#0 .*throw_number' <<<"$trace"
grep -Eq '#1 .*catches_inside\{mode=2\}' <<<"$trace"
grep -Eq '#[2-9] .*main' <<<"$trace"
