#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# web_test.sh DIRECTORY LOADER: a small site is the same with both loaders, all answers are right, and all processes run
# as planned. A loader that falls back silently is an error. No process is left, also after the study is killed.
set -euo pipefail
directory=$1 loader=$2
study=$(dirname "$(realpath "$0")")/../web.sh
running=
finish() {
  [[ -z $running ]] || kill -KILL "$running" 2>/dev/null || true
}
trap finish EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
small=(--posts 12 --rounds 1 --operations 20 --seconds 4 --rate 5)

# Processes in the network namespace of the last run.
left_behind() {
  local space process
  space=$(cat "$directory/namespace")
  [[ $space == net:* ]] || fail "the study has not told its namespace"
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/ns/net" 2>/dev/null) != "$space" ]] || echo "${process#/proc/} $(cat "$process/comm" 2>/dev/null)"
  done
}
expect_gone() {
  local left=
  for _ in {1..200}; do
    left=$(left_behind)
    [[ -n $left ]] || return 0
    sleep 0.1
  done
  fail "processes are left: $left"
}

status=0
"$study" "$directory" "$loader" "${small[@]}" || status=$?
((status == 0)) || exit "$status" # 77: skipped
expect_gone
python3 - "$directory/samples.json" <<'END'
import json
import sys
turns = {turn["way"]: turn["samples"] for turn in json.load(open(sys.argv[1]))["turns"]}
# MariaDB; nginx and a worker for each processor; PHP-FPM and four workers.
assert turns["loader"]["planned"] >= 8, turns
assert turns["stock"]["planned"] == 0, turns
for samples in turns.values():
    for name in ("throughput", "processor", "p99.all", "mean.publish", "start.nginx", "restart.mariadbd"):
        assert samples[name] > 0, samples
END

# A loader that starts programs as the stock loader does.
fallback=$directory/fallback
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$fallback"
chmod +x "$fallback"
! "$study" "$directory" "$fallback" "${small[@]}" >"$directory/fallback.log" 2>&1 || fail "the fallback is not noticed"
grep -q 'mariadbd (loader) has the code of' "$directory/fallback.log" || fail "another error: $(cat "$directory/fallback.log")"
expect_gone

rm "$directory/namespace"
"$study" "$directory" "$loader" "${small[@]}" >"$directory/killed.log" 2>&1 &
running=$!
for _ in {1..300}; do
  [[ -e $directory/namespace && $(left_behind) == *nginx* ]] && break
  sleep 0.1
done
[[ $(left_behind) == *nginx* ]] || fail "no server has started: $(cat "$directory/killed.log")"
kill -KILL "$running"
wait "$running" 2>/dev/null || true
running=
expect_gone
echo "the site is the same with both loaders; no process is left"
