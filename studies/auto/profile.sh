#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# profile.sh PROGRAM CASES TEXT OUTPUT: records a profile of PROGRAM, which does each of its cases for half a second.
# Where perf cannot record, OUTPUT is the list of functions that another machine recorded, and a message says so.
set -euo pipefail
program=$1 cases=$2 text=$3 output=$4
name=$(basename "$program")
list=$(dirname "$0")/functions/$name.txt

do_cases() {
  local words
  while read -r _ of words; do
    [[ $of = "$name" ]] || continue
    # shellcheck disable=SC2086 # words
    "$program" 0.5 ${words//TEXT/$text} </dev/null >/dev/null
  done < <(grep -v '^#' "$cases")
}
if [[ ${5-} = do-cases ]]; then
  do_cases
elif [[ -n ${STUDY_AUTO_LISTS-} ]]; then
  echo "studies/auto: $name by the recorded list of functions, as STUDY_AUTO_LISTS asks"
  cp "$list" "$output"
elif ! perf record -q -e cpu-clock -F 999 -o "$output" -- "$0" "$program" "$cases" "$text" "" do-cases >"$output.log" 2>&1; then
  echo "studies/auto: perf cannot record $name here ($(tail -n 1 "$output.log")); the recorded list of functions is used"
  cp "$list" "$output"
fi
