#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: measures the study's tables and draws its plots into OUTPUT. See README.md.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${2:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
here=$(dirname "$0")

"$build/bin/lpm_study" "$output"
draw() { # NAME TITLE
  gnuplot -e "folder='$output'; name='$1'; what='$2'" "$here/plot.gp"
}
for family in 4 6; do
  draw "ipv${family}_a" "IPv$family, workload A: the longest prefixes match"
  draw "ipv${family}_b" "IPv$family, workload B: only the default route matches"
done
cat "$output/tables.md"
echo "written: $output/tables.md and plots beside it"
