#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: measures the study's table and draws its plot into OUTPUT. See README.md.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${2:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
here=$(dirname "$0")

"$build/bin/linux_study" "$output"
gnuplot -e "folder='$output'" "$here/plot.gp"
cat "$output/tables.md"
echo "written: $output/tables.md, and $output/cycles.svg and .png"
