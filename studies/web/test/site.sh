# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced: a small site for tests; the arguments are a directory and a loader.
set -euo pipefail
directory=$1 loader=$2
study=$(dirname "$(realpath "$0")")/../web.sh
mkdir -p "$directory"
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
small=(--posts 12 --rounds 1 --operations 20 --seconds 4 --rate 5)

# Prints processes of the study: they see its directory at /mnt.
left_behind() {
  local process
  for process in /proc/[0-9]*; do
    [[ ! $process/root/mnt -ef $directory ]] || echo "${process#/proc/} $(cat "$process/comm" 2>/dev/null || true)"
  done
}
expect_gone() {
  local left=
  for _ in {1..3000}; do
    left=$(left_behind)
    [[ -n $left ]] || return 0
    sleep 0.1
  done
  fail "processes are left: $left"
}

