#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# auto_test.sh BUILT PROGRAM CASES auto|stand-in: a program with automatic handlers must compute what it computes without
# Sartor, while variants are tried, and the tuner must run: the event log has lines, and no failure. Large cases are left out.
# Measures no time.
set -uo pipefail
built=$1 program=$2 cases=$3 kind=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

hash_of() { # PROGRAM SECONDS WORD...
  "$1/$program/$program" "${@:2}" </dev/null | cut -d ' ' -f 4
}
seconds=8 # for the first case; variants may be tried after the others' time
while read -r name of line; do
  [[ $of = "$program" && $name != *_large ]] || continue
  read -ra words <<<"${line//TEXT/$built/text}"
  plain=$(hash_of "$built/clang" 0.02 "${words[@]}")
  ours=$(SARTOR_EVENT_LOG=$work/events hash_of "$built/auto" $seconds "${words[@]}")
  seconds=0.8
  [[ -n $plain && $plain = "$ours" ]] && continue
  echo "$name: plain code computes '$plain', the program with automatic handlers '$ours'"
  failed=1
done < <(grep -v '^#' "$cases")

if [[ $kind = auto ]]; then
  [[ -s $work/events ]] || { echo "the tuner has written no event"; failed=1; }
  sed -nE 's/.*"event": ?"([^"]*)".*/\1/p' "$work/events" | sort | uniq -c
  # A missing compiler, for instance: programs go on without variants. Their exit may end a compilation.
  if grep '"event":"failure"' "$work/events" | grep -v '"code":"closing"'; then failed=1; fi
fi
exit $failed
