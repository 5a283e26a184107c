#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# top.sh SARTOR SERVER: `sartor top` in a terminal, with the matrix server as the program, whose calls are compared.
set -euo pipefail
sartor=$1 server=$2
command -v tmux >/dev/null || { echo "skipped: tmux is missing (scripts/deps.sh)"; exit 77; }
work=$(mktemp -d)
export XDG_RUNTIME_DIR=$work XDG_CONFIG_HOME=$work/config SARTOR_STATE_DIR=$work/state TERM=xterm LC_ALL=C.UTF-8
pid=
in_tmux() { tmux -S "$work/tmux" -f /dev/null "$@"; }
trap 'in_tmux kill-server 2>/dev/null || true; [[ -z $pid ]] || { kill -9 "$pid"; wait "$pid"; } 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
# shows TEXT: waits until the screen has the text.
shows() { for _ in $(seq 600); do in_tmux capture-pane -p 2>/dev/null | grep -q -- "$1" && return; sleep 0.1; done
          fail "no '$1' on the screen: $(in_tmux capture-pane -p)"; }

SARTOR_CONTROL=1 SARTOR_VERIFY=all "$server" --configuration '{"B":16}' >"$work/out" & pid=$!
for _ in $(seq 600); do "$sartor" variants $pid 2>/dev/null | grep -q 'B=16.* calls$' && break; sleep 0.1; done
in_tmux new-session -d -x 80 -y 30 "'$sartor' top --interval 0.2 $pid"
shows '^HANDLER .* COMPARED$'
shows '^compiling .* waiting [0-9]'
shows '^multiply_stripe is compared '
in_tmux send-keys o
shows 'off: native code'
in_tmux send-keys o
shows '{B=16}'
in_tmux send-keys q
for _ in $(seq 600); do in_tmux has-session 2>/dev/null || break; sleep 0.1; done
! in_tmux has-session 2>/dev/null || fail "q does not end it"
echo "all is well"
