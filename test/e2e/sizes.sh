#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sizes.sh SCRIPT DIRECTORY: scripts/sizes.sh rejects a large file and prints its size; accepts it if it is listed
# with a reason, and rejects it if the reason is missing.
set -euo pipefail
script=$1 directory=$2
rm -rf "$directory"
mkdir -p "$directory/scripts"
cd "$directory"
git init -q .
head -c 1048576 /dev/zero >small
"$script" .
head -c 1048577 /dev/zero >large
if said=$("$script" .); then
  echo "a large file passed"
  exit 1
fi
[[ $said == "large: 1048577 bytes; "* ]] || { echo "said: $said"; exit 1; }
echo "large |" >scripts/large_files.txt
if "$script" . >/dev/null; then
  echo "a large file passed without a reason"
  exit 1
fi
echo "large | what a figure was computed from" >scripts/large_files.txt
"$script" .
