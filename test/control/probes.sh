#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# probes.sh LIBRARY SCRIPTS COMMAND: the library has the documented probes; bpftrace counts as many compiles and
# activations as the event log of a command has.
set -euo pipefail
library=$1 scripts=$2 program=$3
page=$(dirname "$0")/../../docs/reference/control.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; cat "$work"/out* 2>/dev/null; exit 1; }

readelf -n "$library" | grep -A1 "Provider: sartor$" | sed -n 's/.*Name: //p' | sort -u >"$work/has"
sed -n '/^| probe/,/^$/s/^| `\([a-z_]*\)`.*/\1/p' "$page" | sort -u >"$work/documented"
[[ -s $work/has ]] || fail "the library has no probes"
diff "$work/has" "$work/documented" || fail "probes and their reference differ"

skip() { echo "skipped: $*"; exit 77; }
command -v bpftrace >/dev/null || skip "bpftrace is not installed"
timeout 20 bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1 || skip "this user may not trace"
for script in "$scripts"/*.bt; do
  sed "s#usdt:\*:#usdt:$library:#" "$script" >"$work/script.bt"
  timeout 20 bpftrace -d "$work/script.bt" >"$work/out" 2>&1 || fail "$script"
done
# Attached to the library for all processes, as it is not loaded when a command begins.
timeout -k 5 200 bpftrace -e "
  BEGIN { printf(\"ready\\n\"); }
  usdt:$library:sartor:compile_end /arg3 == 1/ { @compiled[pid] = count(); }
  usdt:$library:sartor:activate { @activated[pid] = count(); }" >"$work/out" 2>&1 &
tracer=$!
for _ in $(seq 1200); do
  grep -q ready "$work/out" && break
  kill -0 $tracer 2>/dev/null || fail "bpftrace has ended"
  sleep 0.1
done
# shellcheck disable=SC2086 # a command with arguments
(echo $BASHPID >"$work/pid"; SARTOR_EVENT_LOG=$work/log exec $program >/dev/null 2>&1) || fail "$program"
kill -INT $tracer
wait $tracer && ended=0 || ended=$?
((ended != 124 && ended != 137)) || fail "bpftrace does not end after SIGINT"
pid=$(<"$work/pid")
compiled=$(grep -E '"event":"(compile|load)"' "$work/log" | grep -vc '"from":"template"')
activated=$(grep -c '"event":"switch"' "$work/log")
counted=$(sed -n "s/^@compiled\[$pid\]: //p" "$work/out")
# Compiles that end while the program exits reach their probe, but not the log: one in each tier.
((counted >= compiled && counted <= compiled + 2)) || fail "$compiled compiles are in the log"
grep -qx "@activated\[$pid\]: $activated" "$work/out" || fail "$activated activations are in the log"
echo "$compiled compiles, $activated activations"
