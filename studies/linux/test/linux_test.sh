#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# linux_test.sh DIRECTORY PREFIX NAME=VALUE...: boots the kernel that is built in DIRECTORY, with
# these settings of boot.py; skipped if there is none.
set -euo pipefail
directory=$1 prefix=$2
shift 2
if [ ! -x "$directory/linux" ]; then
  echo "skipped: there is no kernel in $directory; make study-linux builds it"
  exit 77
fi
output=$(mktemp)
trap 'rm -f "$output" "$output.server"' EXIT
if ! "$(dirname "$0")/../boot.py" "$directory" "$prefix" "$output" 300 "$@"; then
  cat "$output" "$output.server" 2>/dev/null || true
  exit 1
fi
grep '^compared' "$output" || true
