#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: measures the study's tables and draws its plots into OUTPUT. See README.md.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${2:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
here=$(dirname "$0")

"$build/bin/lpm_study" "$output"
for family in 4 6; do
  for workload in A B; do
    gnuplot -e "folder='$output'; name='ipv${family}_${workload,}'; what='IPv$family, workload $workload'" \
      "$here/plot.gp"
  done
done
cat "$output/tables.md"
echo "written: $output/tables.md and plots beside it"
