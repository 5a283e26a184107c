#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# study.sh PROGRAMS OUTPUT: the whole study with the programs of the folder PROGRAMS; tables on
# screen, data and plots in OUTPUT.
set -euo pipefail
study=$(realpath "$(dirname "$0")")
programs=${1:?usage: study.sh PROGRAMS OUTPUT}
output=${2:?usage: study.sh PROGRAMS OUTPUT}
mkdir -p "$output"

echo "Real packets through the kernel:"
status=0
"$study/run.sh" "$programs" "$output/kernel" || status=$?
((status == 0 || status == 77)) || exit "$status"

echo
echo "Between rings in memory:"
"$programs/router_study" --output "$output"
gnuplot -e "folder='$output'" "$study/plot.gp"
echo "$output/packets.png, sizes.png"
