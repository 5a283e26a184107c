#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: runs the whole study with the programs of the build folder BUILD; prints
# tables, writes data and plots to OUTPUT.
set -euo pipefail
study=$(realpath "$(dirname "$0")")
programs=${1:?usage: run.sh BUILD OUTPUT}/bin
output=${2:?usage: run.sh BUILD OUTPUT}
mkdir -p "$output"

echo "Real packets through the kernel:"
status=0
"$study/real_packets.sh" "$programs" "$output/kernel" || status=$?
((status == 0 || status == 77)) || exit "$status"

echo
echo "Between rings in memory:"
"$programs/router_study" --output "$output"
gnuplot -e "folder='$output'" "$study/plot.gp"
echo "$output/packets.png, sizes.png"
