#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh MODEL WHAT [NAME[=VALUE]...]: explores all executions of MODEL.pml with these names defined. WHAT is `holds`
# (every property is true in every state), `settles` (if no process is blocked for ever, all end and the best variant is
# active), or the property that must be violated. Prints the steps that lead to an unexpected result. Exits with 77 if
# spin is not installed.
set -euo pipefail
model=${1:?usage: test/model/run.sh MODEL WHAT [NAME[=VALUE]...]}
what=${2:?usage: test/model/run.sh MODEL WHAT [NAME[=VALUE]...]}
shift 2
here=$(cd "$(dirname "$0")" && pwd)
compiler=clang-${SARTOR_LLVM:-22}

if ! command -v spin >/dev/null; then
  echo "skipped: spin is not there; scripts/deps.sh installs it"
  exit 77
fi

# Maps the message that pan prints when an assertion fails to the property.
case $what in
holds | settles | does_not_settle) found='' ;;
nobody_is_inside_at_the_store) found='variants\[at\]\.inside==0' ;;
nobody_reads_at_the_store) found='readers==0' ;;
what_holds_was_folded) found='holds.*\.value\[[01]\]==memory' ;;
no_call_begins_in_old_code) found='late\[me\]&' ;;
no_call_gets_in) found='kept_out==0' ;;
what_blocked_goes_on_in_what_holds) found='!\(?(written|inside)' ;;
code_outlives_calls) found='variants\[v\]\.(inside==0|alive)' ;;
all_come_to_an_end) found='(written|ended)==' ;;
it_holds_in_the_end) found='holds==1' ;;
nothing_is_stored_while_it_holds) found='holds==0' ;;
the_best_is_active) found='variants\[code\]\.uses|code==' ;;
*)
  echo "run.sh: '$what' is no property; see test/model/README.md" >&2
  exit 2
  ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.pml "$work"
cd "$work"

case $what in
settles | does_not_settle)
  kind=(-DNFAIR=3)
  run=(-a -f -A)
  ;;
*)
  kind=(-DSAFETY -DNOCLAIM)
  run=()
  ;;
esac
spin -P"$compiler -E -x c" "${@/#/-D}" -a "$model.pml" >spin.log || {
  cat spin.log
  exit 1
}
"$compiler" -O0 -w "${kind[@]}" -DMEMLIM=900 -o pan pan.c
./pan -m1000000 "${run[@]}" >pan.log || true

states=$(sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' pan.log)
violated=$(sed -nE 's/^pan:1: (.*) \(at depth.*/\1/p' pan.log)
complain() {
  echo "run.sh: $1"
  [[ ! -e $model.pml.trail ]] || spin -P"$compiler -E -x c" "${@:2}" -t -p -g "$model.pml" | tail -n 200
  grep -vE '^(unreached|[[:space:]]|$)' pan.log
  exit 1
}

if [[ $what == holds || $what == settles ]]; then
  [[ -z $violated ]] || complain "$violated" "${@/#/-D}"
  [[ -n $states ]] && ! grep -qE 'Search not completed|max search depth too small' pan.log ||
    complain "not all states were looked at"
elif [[ $what == does_not_settle ]]; then
  [[ $violated == 'acceptance cycle' ]] || complain "it settles, though it should not"
else
  [[ -n $violated ]] || complain "nothing was found, though $what should be"
  grep -qE -- "$found" <<<"$violated" || complain "another property was found violated than $what: $violated" "${@/#/-D}"
fi
echo "$model $*: $what, $states states"
