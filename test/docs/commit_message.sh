#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# commit_message.sh SCRIPT: tests which subjects the commit-msg hook accepts and rejects.
set -euo pipefail
script=$1
file=$(mktemp)
trap 'rm -f "$file"' EXIT

accepts() {
  printf "$1" >"$file"
  "$script" "$file" 2>/dev/null || { echo "rejected: $1"; exit 1; }
}
rejects() {
  printf "$1" >"$file"
  if "$script" "$file" 2>/dev/null; then
    echo "accepted: $1"
    exit 1
  fi
}

seventy_two=$(printf 'A%.0s' {1..72})
accepts 'explorer: stop sampling confirmed losers\n'
accepts 'docs, bench: name the machine\n\nA body. With periods.\n'
accepts 'Add a pass\n# a comment of git\n'
accepts '\n\n# comments first\nAdd a pass'
accepts "$seventy_two\n"
accepts 'Revert "something that ends with a period."\n'
accepts 'Add a pass\n\n# ------------------------ >8 ------\ndiff\n'
rejects ''
rejects '# only a comment\n'
rejects "${seventy_two}A\n"
rejects 'Add a pass.\n'
rejects 'add a pass\n'
rejects 'explorer:stop\n'
rejects 'Add a pass\nwithout an empty line\n'
echo "all is well"
