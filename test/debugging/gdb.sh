#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gdb.sh PROGRAM before|after: gdb stops at a source line of a variant that was made before or after it was
# attached, steps through it, and shows inlined functions and callers. Exits with 77 (skipped) without gdb.
set -euo pipefail
. "$(dirname "$0")/lines.sh"
command -v gdb >/dev/null || {
  echo "skipped: gdb is not installed (scripts/deps.sh)"
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
said=$scratch/said

if [[ $2 == before ]]; then
  begin_waiting "$1"
  start=(-p "$program" -ex "break stepped_handler.cpp:$(line first)" -ex continue)
else
  start=("$1" -ex 'set breakpoint pending on' -ex "break stepped_handler.cpp:$(line first)" -ex run)
fi
timeout 200 gdb -batch -nx -iex 'set auto-load no' -iex 'set debuginfod enabled off' -iex 'set pagination off' \
  "${start[@]}" -ex backtrace \
  -ex next -ex 'echo after the first next\n' -ex frame \
  -ex "break stepped_handler.cpp:$(line inlined)" -ex continue -ex backtrace \
  -ex 'break outside' -ex continue -ex 'delete' -ex finish -ex 'echo after finish\n' -ex frame -ex backtrace \
  -ex "tbreak stepped_handler.cpp:$(line last)" -ex continue -ex 'set variable *(int *)&debugger_was_here = 1' \
  -ex continue >"$said" 2>&1 </dev/null || {
  cat "$said"
  exit 1
}

expect "Breakpoint 1.*, stepped\{mode=2\}.* at .*stepped_handler\.cpp:$(line first)\$"
expect "^#[2-9] .*main"
# The branch for mode=1 is not there.
expect "^$(line second)[[:space:]].*// second"
! grep -q "// folded away" "$said" || expect "nothing of the folded branch"
expect "^#0 .*twice.* at .*stepped_handler\.cpp:$(line inlined)\$"
expect "^#1 .*stepped\{mode=2\}.* at .*stepped_handler\.cpp:$(line third)\$"
grep -A1 "^after finish" "$said" | grep -q "stepped{mode=2}.*stepped_handler.cpp:$(line third)" || expect "finish ends in the variant"
expect "Temporary breakpoint .*, stepped\{mode=2\}.*stepped_handler\.cpp:$(line last)\$"
expect "exited normally"
