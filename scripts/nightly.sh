#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# nightly.sh [MINUTES [JOBS]]: runs the tests of all components under the thread sanitizer, for at
# most so many minutes (90), including the build. Fails if a test fails, or none has run. On a
# timeout, prints how many have not run.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-90}
jobs=${2:-$(nproc)}
log=build/nightly.log
mkdir -p build
status=0
timeout --kill-after=30 "${minutes}m" scripts/sanitizers.sh tsan "$jobs" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
# timeout(1): 124, or 137 if it had to kill.
((status == 124 || status == 137)) || exit "$status"
result='^ *[0-9]+/[0-9]+ +Test +#[0-9]+:'
ran=$(grep -cE "$result" "$log" || true)
all=$(grep -oE "$result" "$log" | sed -nE '1s|.*/([0-9]+) .*|\1|p' || true)
echo "nightly: $minutes minutes are over; $ran of ${all:-all} tests have run ($log)"
((ran > 0)) && ! grep -E "$result"'.*\*\*\*' "$log"
