#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# commands.sh SARTOR SERVER: the commands for running programs, with the matrix server as the program.
set -euo pipefail
sartor=$1 server=$2
work=$(mktemp -d)
export XDG_RUNTIME_DIR=$work XDG_CONFIG_HOME=$work/config
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
# has TEXT COMMAND...: the output of the command has the text. Repeated, because a command waits for a program for ten
# seconds, and the machine may stop for longer.
has() { local text=$1 said; shift
        for _ in 1 2 3; do said=$("$@" 2>&1) || true; [[ $said == *"$text"* ]] && return; done
        fail "$* without '$text': $said"; }
# refused CODE COMMAND...
refused() { local code=$1 said; shift; if said=$("$@" 2>&1); then fail "$*: no error"; fi
            [[ $said == "sartor: $code: "* ]] || fail "$*: $said"; }
start() { SARTOR_CONTROL=1 "$server" --configuration '{"B":16}' >"$work/out" & pids+=($!); pid=$!
          for _ in $(seq 600); do "$sartor" variants $pid 2>/dev/null | grep -q 'B=16' && return; sleep 0.1; done
          fail "the server does not answer: $(<"$work/out")"; }

refused file_error "$sartor" off 4194303
refused bad_argument "$sartor" off nonsense
start
has "$pid  " "$sartor" ps
has "\"pid\":$pid," "$sartor" ps --json
has "{B=16" "$sartor" top --once $pid

"$sartor" off $pid multiply_stripe
has "off: multiply_stripe" "$sartor" ps
has "off: native code" "$sartor" top --once $pid
refused unknown_handler "$sartor" off $pid multiply
"$sartor" on $pid
refused unknown_handler "$sartor" on $pid multiply_stripe

"$sartor" pin $pid '{"B":8}'
for _ in $(seq 600); do "$sartor" variants $pid | grep -q '^\* *multiply_stripe{B=8}' && break; sleep 0.1; done
has 'PINNED: {"B":8}' "$sartor" top --once $pid
refused unknown_label "$sartor" pin $pid '{"C":8}'
refused bad_json "$sartor" pin $pid '{"B":'
"$sartor" unpin $pid
refused bad_argument "$sartor" unpin $pid
refused bad_argument "$sartor" explore $pid
refused bad_argument "$sartor" invalidate $pid nothing

"$sartor" dump $pid 'multiply_stripe{B=8}' -o "$work/code.elf" >/dev/null
if command -v objdump >/dev/null; then
  has 'ret' objdump -d "$work/code.elf"
  has '<multiply_stripe{B=8}>' objdump -d "$work/code.elf"
fi
refused bad_argument "$sartor" dump $pid nothing -o "$work/nothing"
refused file_error "$sartor" dump $pid 'multiply_stripe{B=8}' -o "$work/missing/file"
has '# EOF' "$sartor" metrics $pid

# Permanently: another process of the same program, and not of another.
"$sartor" off $pid multiply_stripe --permanent
has multiply_stripe "$sartor" policy list
first=$pid
start
[[ $("$sartor" ps --json | grep -o '"off":\["multiply_stripe"\]' | wc -l) == 2 ]] || fail "not off from the start: $("$sartor" ps)"
refused bad_argument "$sartor" top --once # there are several
"$sartor" on $pid multiply_stripe --permanent
has "No rules." "$sartor" policy list
refused bad_argument "$sartor" policy remove 1
refused bad_elf "$sartor" policy add --program "$0" handler

# A socket that was left behind is removed.
kill -9 "$first"
wait "$first" 2>/dev/null || true
[[ -S $XDG_RUNTIME_DIR/sartor/$first.sock ]] || fail "nothing was left behind"
has "$pid" "$sartor" ps
[[ ! -e $XDG_RUNTIME_DIR/sartor/$first.sock ]] || fail "the socket is still there"

# Commands end although a stopped process takes no more connections.
kill -STOP "$pid"
asking=()
for _ in $(seq 20); do timeout 120 "$sartor" metrics "$pid" >/dev/null 2>&1 & asking+=($!); done
for each in "${asking[@]}"; do
  status=0
  wait "$each" || status=$?
  [[ $status != 0 && $status != 124 ]] || fail "a command for a stopped process has status $status"
done
kill -CONT "$pid"
kill "$pid"
wait "$pid" 2>/dev/null || true
echo "all is well"
