#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# linux_ends_test.sh DIRECTORY PREFIX: the kernel runs out of its time; none of its processes is left,
# nor is its server.
set -euo pipefail
directory=$1 prefix=$2
if [ ! -x "$directory/linux" ]; then
  echo "skipped: there is no kernel in $directory; make study-linux builds it"
  exit 77
fi
output=$(mktemp)
trap 'rm -f "$output" "$output.server"' EXIT
left() { pgrep -f "mark_of_this_test=$$|modules $directory/modules.*$$" || true; }
status=0
"$(dirname "$0")/../boot.py" "$directory" "$prefix" "$output" 3 MODE=compare SEQUENCES=1000000 "mark_of_this_test=$$" || status=$?
grep -q '^ended after 3' "$output" || { cat "$output"; echo "it has ended before"; exit 1; }
[ "$status" = 1 ] || { echo "status $status"; exit 1; }
[ -z "$(left)" ] || { echo "left behind: $(left)"; exit 1; }
