#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# same.sh STOCK OURS MODE FILE...: runs each file by both, in its folder; output and exit status have to be the same.
set -uo pipefail
stock=$1 ours=$2 mode=$3
shift 3
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$@"; do
  cd "$(dirname "$file")" || exit 1
  timeout 60 "$stock" --std "${file##*/}" >"$work/stock" 2>&1
  expected=$?
  QUICKJS_SARTOR=$mode timeout "${SECONDS_EACH:-50}" "$ours" --std "${file##*/}" >"$work/ours" 2>&1
  status=$?
  if [ $status = $expected ] && cmp -s "$work/stock" "$work/ours"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$file: status $status, expected $expected"
    diff "$work/stock" "$work/ours" | head -5
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
