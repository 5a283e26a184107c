#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh STUDY PLOT BUILD OUTPUT: measures the table of a study and draws its plot into OUTPUT.
set -euo pipefail
study=$1 plot=$2
build=${3:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${4:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}

"$build/bin/${study}_study" "$output"
gnuplot -e "folder='$output'" "$(dirname "$0")/../$study/plot.gp"
cat "$output/tables.md"
echo "written: $output/tables.md, and $output/$plot.svg and .png"
