#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fleet.sh PROGRAM SCRIPTS: runs two replicas of PROGRAM (examples/fleet) with one study on a Redis and one shared
# cache. Both choose the same configuration, and each loads code that the other has compiled.
set -euo pipefail
program=$1 scripts=$2
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
"$scripts/sidecar.sh" --storage "$store" --socket "$SIDECAR" 2>"$directory/sidecar.log" &
sidecar=$!
for ((i = 0; i < 600; ++i)); do
  [[ ! -S $SIDECAR ]] || break
  sleep 0.1
done

SARTOR_EVENT_LOG=$directory/one.jsonl "$program" >"$directory/one" &
one=$!
SARTOR_EVENT_LOG=$directory/other.jsonl "$program" >"$directory/other"
wait "$one"
cat "$directory/one" "$directory/other"
cmp "$directory/one" "$directory/other"
for events in "$directory"/*.jsonl; do
  grep -q '"event":"fleet_joined"' "$events" || { echo "a replica was alone"; exit 1; }
done
grep -hq '"from":"shared"' "$directory"/*.jsonl || { echo "no code was shared"; exit 1; }
