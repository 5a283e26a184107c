#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: measures the study's figures and draws its plots into OUTPUT. See README.md.
# With HYDRO_QUICK=1, uses a small grid and few trials.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${2:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
here=$(dirname "$0")

"$build/bin/hydro_study" ${HYDRO_QUICK:+--quick} "$output"
gnuplot -e "folder='$output'" "$here/plot.gp"
cat "$output/validation.md" "$output/plans.md"
echo "written: $output/hydro.json, tables and plots beside it"
