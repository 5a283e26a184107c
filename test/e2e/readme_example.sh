#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# readme_example.sh README STAGE WORK: writes the fenced blocks of README that name a file (```cpp main.cpp) into a
# project, builds it against the package in STAGE, and runs it.
set -euo pipefail
readme=$1 stage=$2 work=$3
rm -rf "$work"
mkdir -p "$work/source"
awk -v folder="$work/source" '
  /^```[a-z]+ [A-Za-z.]+$/ { file = folder "/" $2; next }
  /^```/ { file = "" }
  file != "" { print > file }' "$readme"
exec "$(dirname "$0")/example.sh" "$work/source" "$stage" "$work/power" $'256\n256\n32'
