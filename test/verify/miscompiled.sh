#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# miscompiled.sh BIN MUTANTS_LIBRARY: the tour of docs/guides/miscompiled.md. A matrix server has a miscompiled variant: no
# client gets a wrong product, operators see the difference, and `sartor replay` names the pass.
set -euo pipefail
bin=${1:?} mutants=${2:?}
unset SARTOR_VERIFY SARTOR_ABORT_ON_DIFFERENCE
work=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
export SARTOR_STATE_DIR=$work/state XDG_RUNTIME_DIR=$work
fail() { echo "$1"; tail -n 20 "$work"/*.out "$work/log" | cut -c1-200; exit 1; }

: >"$work/server.out" # may be read before the server has begun
SARTOR_CONTROL=1 SARTOR_COMPILER_LIBRARY=$mutants SARTOR_MUTANT=loop_short \
  "$bin/matmul_server" --event-log "$work/log" --configuration '{"B":16,"N":64}' >>"$work/server.out" 2>&1 &
server=$!
for ((i = 0; i < 3000; ++i)); do
  port=$(sed -n 's/^listening on 127.0.0.1:\([0-9]*\)$/\1/p' "$work/server.out")
  [ -z "$port" ] && kill -0 "$server" || break
  sleep 0.1
done
[ -n "$port" ] || fail "the server does not start"
# Calls are compared once the code for that has been made.
for ((i = 0; i < 1000; ++i)); do
  ! "$bin/sartor" variants "$server" 2>&1 | tee "$work/variants.out" | grep 'multiply_stripe is compared' >/dev/null || break
  sleep 0.1
done
grep -q 'multiply_stripe is compared' "$work/variants.out" || fail "calls do not come to be compared"
difference() { grep '"event":"difference"' "$work/log"; }
for ((i = 0; i < 20; ++i)); do
  "$bin/matmul_load" --port "$port" --seconds 1 --sizes 64 --self-check >"$work/load.out"
  grep -q '"wrong": 0' "$work/load.out" || fail "a client got a wrong product"
  ! difference >/dev/null || break
done
found=$(difference) || fail "no difference was found"
directory=$(sed -n 's/.*"directory":"\([^"]*\)".*/\1/p' <<<"$found")
"$bin/sartor" top --once "$server" >"$work/top.out"
grep -q 'native code .*1 differed' "$work/top.out" || fail "sartor top does not show it"
"$bin/sartor" quarantine list >"$work/list.out"
grep -q 'multiply_stripe' "$work/list.out" || fail "it is not in the quarantine"
SARTOR_COMPILER_LIBRARY=$mutants "$bin/sartor" replay --bisect "$directory" >"$work/replay.out" || true
grep -q 'the same difference as recorded' "$work/replay.out" || fail "the difference does not show again"
grep -q 'differs from pass [0-9]* of [0-9]* on: mutant loop_short, of multiply_stripe' "$work/replay.out" ||
  fail "the pass is not found"
echo "all is well"
