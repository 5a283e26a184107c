#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sqlite_queries_test.sh STOCK OURS QUERY...: the study's queries must give the same results with stock SQLite and with
# SQLite with Sartor.
set -uo pipefail
stock=$1 ours=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$stock" make "$work/database" 5000 || exit 1
failed=0
for query in "${@:3}"; do
  expected=$("$stock" "$work/database" "$query" 2 </dev/null) || failed=1
  [ -n "$expected" ] && [ "${expected#* }" -gt 0 ] || { echo "$query gives nothing"; failed=1; }
  for how in SQLITE_SARTOR=heat=10000,least=1,wait SQLITE_SARTOR=off SQLITE_SARTOR=native,heat=1,least=1; do
    got=$(export "${how?}"; "$ours" "$work/database" "$query" 3 </dev/null)
    [ "$got" = "$expected" ] || { echo "$query with $how: $got in place of $expected"; failed=1; }
  done
done
exit $failed
