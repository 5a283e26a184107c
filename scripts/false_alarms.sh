#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# false_alarms.sh STUDIES MINUTES OUTPUT: repeats the tests of the built studies for so long, with every
# call of a variant compared with the native code, and writes the number of differences, all of which
# are false, to OUTPUT/false_alarms.json. What differed is left in OUTPUT/false_alarms.
set -euo pipefail
studies=$1 minutes=$2 output=$(realpath -m "$3")
state=$output/false_alarms
rm -rf "$state"
mkdir -p "$state"
mapfile -t tests < <(ctest --test-dir "$studies" -N | sed -n 's/^ *Test *#[0-9]*: //p')
[[ ${#tests[@]} -gt 0 ]] || { echo "there are no tests in $studies: make test-studies builds them" >&2; exit 1; }

begin=$SECONDS runs=0 failed=0
for ((number = 0; SECONDS - begin < minutes * 60; ++number)); do
  name=${tests[number % ${#tests[@]}]}
  # A state of its own each time: variants that are quarantined would not be compared again.
  if ! SARTOR_VERIFY=all SARTOR_ABORT_ON_DIFFERENCE=off SARTOR_STATE_DIR=$state/$number \
    ctest --test-dir "$studies" --timeout 1200 -R "^${name//./\\.}\$" >"$state/$number.log" 2>&1; then
    failed=$((failed + 1))
    echo "failed: $name, see $state/$number.log"
  else
    rm "$state/$number.log"
  fi
  runs=$((runs + 1))
  find "$state/$number" -depth -type d -empty -delete 2>/dev/null || true
done
differences=$(find "$state" -path '*/differences/*' -prune -type d | wc -l)
minutes=$(((SECONDS - begin) / 60))

figure() { printf '    {"name": "%s", "value": %d, "unit": "%s", "low": %d, "high": %d%s}' "$1" "$2" "$3" "$2" "$2" "${4-}"; }
{
  printf '{\n  "bench": "false-alarms",\n  "figures": [\n'
  figure false_alarms "$differences" differences ', "goal": 0'
  printf ',\n'
  figure minutes "$minutes" minutes
  printf ',\n'
  figure tests "$runs" tests
  printf ',\n'
  figure failed_tests "$failed" tests
  printf '\n  ]\n}\n'
} >"$output/false_alarms.json"
echo "$differences differences, $failed of $runs tests failed, in $minutes minutes"
[[ $differences -eq 0 ]]
