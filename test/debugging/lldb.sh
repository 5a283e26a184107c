#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lldb.sh PROGRAM before|after: as gdb.sh, for lldb. Exits with 77 (skipped) without lldb.
set -euo pipefail
. "$(dirname "$0")/lines.sh"
lldb=$(command -v "lldb-${SARTOR_LLVM:-22}" || command -v lldb) || {
  echo "skipped: lldb is not installed (scripts/deps.sh)"
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
said=$scratch/said

breakpoint="breakpoint set --file stepped_handler.cpp --line"
if [[ $2 == before ]]; then
  begin_waiting "$1"
  start=(-o "process attach --pid $program" -o "$breakpoint $(line first)" -o continue)
else
  start=(-o "target create $1" -o "$breakpoint $(line first)" -o run)
fi
timeout 200 "$lldb" --batch --no-lldbinit -O 'settings set plugin.jit-loader.gdb.enable on' \
  "${start[@]}" -o 'thread backtrace' -o next -o 'frame info' \
  -o "$breakpoint $(line inlined)" -o continue -o 'thread backtrace' \
  -o 'breakpoint set --name outside' -o continue -o 'thread step-out' -o 'frame info' \
  -o 'expression *(int *)&debugger_was_here = 1' -o 'breakpoint delete --force' -o continue >"$said" 2>&1 </dev/null || {
  cat "$said"
  exit 1
}

expect "frame #0: .*stepped\{mode=2\}.* at stepped_handler\.cpp:$(line first)"
expect "frame #[2-9]: .*main"
expect "frame #0: .* at stepped_handler\.cpp:$(line second)"
expect "frame #0: .*twice.* at stepped_handler\.cpp:$(line inlined)"
expect "frame #1: .*stepped\{mode=2\}.* at stepped_handler\.cpp:$(line third)"
grep -A9 "thread step-out" "$said" | grep -q "JIT.*at stepped_handler.cpp:$(line third)" || expect "step-out ends in the variant"
expect "exited with status = 0"
