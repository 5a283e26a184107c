#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT [FUNCTION]: runs the whole study, or that of one function, with the programs
# of the build folder BUILD; prints tables, writes data and plots to OUTPUT.
set -euo pipefail
study=$(realpath "$(dirname "$0")")
build=${1:?usage: run.sh BUILD OUTPUT [FUNCTION]}
output=${2:?usage: run.sh BUILD OUTPUT [FUNCTION]}
mkdir -p "$output"
rm -f "$output"/*_batches.dat # data of functions that are not measured now

echo "Between rings in memory, by the external port and then by the internal one:"
"$build/bin/nf_study" --output "$output" ${3:+--function "$3"}
for batches in "$output"/*_batches.dat; do
  name=$(basename "$batches" _batches.dat)
  gnuplot -e "folder='$output'; name='$name'" "$study/plot.gp"
  echo "$output/${name}_batches.png, ${name}_time.png"
done

echo
echo "Through the kernel:"
status=0
"$study/real.sh" "$build" "$output/kernel" || status=$?
((status == 0 || status == 77)) || exit "$status"
