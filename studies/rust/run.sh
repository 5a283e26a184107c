#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: prints a table and writes it and the plot to OUTPUT. See README.md.
set -euo pipefail
study=$(realpath "$(dirname "$0")")
program=${1:?usage: run.sh BUILD OUTPUT}/bin/rust_study
output=${2:?usage: run.sh BUILD OUTPUT}
if [ ! -x "$program" ]; then
  echo "studies/rust was left out of the build: there is no cargo and rustc with LLVM 22 (scripts/deps.sh)" >&2
  exit 1
fi
mkdir -p "$output"
"$program" "$output"
gnuplot -e "folder='$output'" "$study/plot.gp"
echo "$output/ticks.png"
