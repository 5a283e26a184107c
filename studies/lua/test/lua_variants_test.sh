#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lua_variants_test.sh LUAS PROGRAM COUNT: at least COUNT variants are made of a program's functions, and each asserts
# that none of its code is interpreted.
set -euo pipefail
luas=$1 program=$2 count=$3
log=$(mktemp)
trap 'rm -f "$log"' EXIT
SARTOR_EVENT_LOG=$log LUA_SARTOR=heat=1,wait "$luas/sartor/lua" "$(dirname "$0")/../harness.lua" "$program" 2 </dev/null
made=$(grep -c '"event":"switch","handler":"lsartor_run"' "$log" || true)
echo "$made variants"
[ "$made" -ge "$count" ]
