#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sqlite_variants_test.sh OURS SCENARIO COUNT: at least COUNT variants are made of a scenario's statements; none of them
# interprets any code, and none fails.
set -euo pipefail
ours=$1 scenario=$2 count=$3
log=$(mktemp)
trap 'rm -f "$log"' EXIT
SARTOR_EVENT_LOG=$log SQLITE_SARTOR=heat=1,least=1,wait "$ours" "$scenario" >/dev/null </dev/null
made=$(grep -c '"event":"switch","handler":"sqlite3SsartorRun"' "$log" || true)
echo "$made variants"
! grep -E '"event":"failure"|is followed in part|is not followed' "$log"
[ "$made" -ge "$count" ]
