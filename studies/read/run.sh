#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: measures the study's tables and draws its plot into OUTPUT. See README.md.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${2:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
here=$(dirname "$0")

[[ -x $build/bin/read_study ]] || {
  echo "The study was left out when the build was configured, which says why: see build/studies/release" >&2
  exit 1
}
"$build/bin/read_study" "$output"
gnuplot -e "folder='$output'" "$here/plot.gp"
cat "$output/tables.md"
echo "written: $output/tables.md, $output/read.png"
