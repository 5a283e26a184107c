#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# declared_same.sh SARTOR ANNOTATED DECLARED WORK: a program with annotations in its source, and one with separate
# declarations, have the same space, behaviour and code.
set -euo pipefail
sartor=$1 annotated=$2 declared=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# The positions of declarations differ, and also the hash of the file in local names.
without_places() { sed -E 's/"(file|line)": *("[^"]*"|[0-9]+),? *//g; s/[a-z_.]*declared(\.c|\.sartor)(:[0-9]+)?//g; s/\.[0-9a-f]{9,16}//g'; }

differs() {
  echo "$1 differ:"
  diff "$2.annotated" "$2.declared" || true
  exit 1
}

configurations=('{}' '{"side":1,"amount":4}' '{"trade.limit":[-5,1000],"urgent":true}' '{"side":-1,"twice.x":21}')
for kind in annotated declared; do
  program=${!kind}
  "$sartor" space --json "$program" | without_places >"space.$kind"
  # In the order of their first occurrence.
  "$sartor" guards --json "$program" | without_places | tr '{' '\n' | sed 's/}.*/}/' | sort >"guards.$kind"
  "$program" >"run.$kind"
  : >"code.$kind"
  for configuration in "${configurations[@]}"; do
    "$sartor" explain --config "$configuration" --ir --json "$program" | without_places >>"code.$kind"
  done
done
grep -q '"label": *"trade.note"' space.declared || { echo "there are no points"; cat space.declared; exit 1; }
grep -q 'refused: 1' run.declared || { echo "nothing was refused"; cat run.declared; exit 1; }
# Switched off, no write is refused.
SARTOR=off "$declared" >run.off
grep -q 'refused: 2' run.off || { echo "what is switched off refuses"; exit 1; }
for what in space guards run code; do
  cmp -s $what.annotated $what.declared || differs $what $what
done
