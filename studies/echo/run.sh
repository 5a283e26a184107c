#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: runs the whole study with the programs of the build folder BUILD; prints
# tables, writes data and plots to OUTPUT.
set -euo pipefail
study=$(realpath "$(dirname "$0")")
programs=${1:?usage: run.sh BUILD OUTPUT}/bin
output=${2:?usage: run.sh BUILD OUTPUT}
mkdir -p "$output"

echo "Over a cable in memory:"
"$programs/echo_study" --output "$output"
gnuplot -e "folder='$output'" "$study/plot.gp"
echo "$output/latencies.png, batches.png"

echo
echo "Over the kernel, with clients of its TCP:"
status=0
chosen=$(cut -d '"' -f 2 "$output/chosen.dat")
mapfile -t batches < <(printf '%s\n' 16/16/16 1/1/1 64/64/64 "$chosen" | awk '!seen[$0]++')
"$study/real.sh" "$programs" "$output/kernel" 10000 5 "${batches[@]}" || status=$?
((status == 0 || status == 77)) || exit "$status"
