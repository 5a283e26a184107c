#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# xdp_real_test.sh BUILD: real TCP passes through the handlers of studies/xdp. No object remains in the kernel, neither
# at the end nor after the study is killed, which it cannot notice.
set -euo pipefail
build=$1
study=$(dirname "$0")/../real.sh
work=$(mktemp -d)
running=
finish() {
  [[ -z $running ]] || kill -KILL "$running" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap finish EXIT

# The programs that the agents of a study have attached, by the kernel's numbers.
programs_of() { grep -ho '^attached .*' "$1"/*.log 2>/dev/null | tr ' ' '\n' | grep '^[0-9]' || true; }
expect_gone() { # FOLDER
  local programs
  programs=$(programs_of "$1")
  [[ -n $programs ]] || { echo "no agent has reported its attachments" >&2; exit 1; }
  for program in $programs; do
    for _ in {1..3000}; do
      bpftool prog show id "$program" >/dev/null 2>&1 || continue 2
      sleep 0.1
    done
    echo "program $program is left" >&2
    exit 1
  done
}

status=0
"$study" "$build" "$work/whole" 1 || status=$?
((status == 0)) || exit "$status" # 77: skipped
expect_gone "$work/whole"

"$study" "$build" "$work/killed" 600 &
running=$!
for _ in {1..3000}; do
  [[ $(programs_of "$work/killed" | wc -l) -lt 2 ]] || break
  sleep 0.1
done
kill -KILL "$running"
wait "$running" 2>/dev/null || true
running=
expect_gone "$work/killed"
[[ ! -e $work/killed/work/bpf ]] || { echo "a file system is left mounted" >&2; exit 1; }
