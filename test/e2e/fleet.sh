#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fleet.sh PROGRAM SCRIPTS: runs two replicas of PROGRAM (examples/fleet) with one study on a Redis and one shared
# cache. The study has one best configuration for both, and each loads code that the other has compiled. Each may take
# another configuration that is as good on its processor.
set -euo pipefail
program=$1 scripts=$2

# A busy machine may let the sidecar, the store or the other replica answer too late, so that a replica goes on alone.
# Then another two take part in another study.
if [[ ${3-} != --once ]]; then
  for _ in 1 2 3; do
    status=0
    "$0" "$program" "$scripts" --once || status=$?
    if ((status == 0 || status == 77)); then exit $status; fi
  done
  exit "$status"
fi

directory=$(mktemp -d /tmp/sartor-fleet-XXXXXX)
sidecar=''
finish() {
  if [[ -n $sidecar ]]; then kill "$sidecar" 2>/dev/null || true; fi
  "$scripts/stores.sh" stop "$directory"
  rm -rf "$directory"
}
trap finish EXIT
"$scripts/venv.sh" >/dev/null # exits with 77 if it cannot be installed
store=$("$scripts/stores.sh" start redis "$directory" $$)
export SIDECAR=$directory/sidecar SARTOR_SHARED_CACHE=$store SARTOR_SHARED_CACHE_KEY=$directory/key
(umask 077 && head -c 32 /dev/urandom >"$SARTOR_SHARED_CACHE_KEY")
"$scripts/sidecar.sh" --storage "$store?socket_timeout=60&socket_connect_timeout=60" --socket "$SIDECAR" \
  2>"$directory/sidecar.log" &
sidecar=$!
for ((i = 0; i < 1800; ++i)); do
  [[ ! -S $SIDECAR ]] || break
  sleep 0.1
done

SARTOR_EVENT_LOG=$directory/one.jsonl "$program" >"$directory/one" &
one=$!
SARTOR_EVENT_LOG=$directory/other.jsonl "$program" >"$directory/other"
wait "$one"
cat "$directory/one" "$directory/other"
best_of() { grep '"event":"fleet_best"' "$1" | grep -o '"text":"[^"]*"' | head -n 1; }
best=$(best_of "$directory/one.jsonl")
[[ -n $best && $best = "$(best_of "$directory/other.jsonl")" ]] || {
  echo "the replicas know different best configurations: $best, $(best_of "$directory/other.jsonl")"
  exit 1
}
for events in "$directory"/*.jsonl; do
  grep -q '"event":"fleet_joined"' "$events" || { echo "a replica was alone"; exit 1; }
done
grep -hq '"from":"shared"' "$directory"/*.jsonl || { echo "no code was shared"; exit 1; }
