#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sqlite_test.sh STOCK OURS SCENARIO: output and exit status of a scenario must be the same with stock SQLite and with
# SQLite with Sartor: with all statements specialized after their first run, with few, in the background, with hot ones
# by default, with none, and with the handler's native code instead of variants.
set -uo pipefail
stock=$1 ours=$2 scenario=$3
for program in "$stock" "$ours"; do [ -x "$program" ] || { echo "there is no $program" >&2; exit 1; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # PROGRAM OUTPUT
  "$1" "$scenario" >"$2" 2>&1 </dev/null
  echo "ended with $?" >>"$2"
}
run "$stock" "$work/stock"
failed=0
for how in SQLITE_SARTOR=heat=1,least=1,wait SQLITE_SARTOR=heat=1,least=1,wait,statements=2 SQLITE_SARTOR=heat=1,least=1 SQLITE_SARTOR= \
  SQLITE_SARTOR=off SARTOR=off SQLITE_SARTOR=heat=1,least=1,native; do
  (export "${how?}"; run "$ours" "$work/ours")
  cmp -s "$work/stock" "$work/ours" && continue
  failed=1
  echo "$scenario differs with $how:"
  diff "$work/stock" "$work/ours" | head -n 20
done
exit $failed
