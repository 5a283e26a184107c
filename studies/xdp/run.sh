#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: runs the whole study with the programs of the build folder BUILD; prints
# tables, writes data and plots to OUTPUT.
set -euo pipefail
study=$(realpath "$(dirname "$0")")
build=${1:?usage: run.sh BUILD OUTPUT}
output=${2:?usage: run.sh BUILD OUTPUT}
mkdir -p "$output"

echo "Real TCP:"
status=0
"$study/real.sh" "$build" "$output/real" || status=$?
((status == 0 || status == 77)) || exit "$status"
((EUID == 0)) || exit 0 # real.sh has reported this already

echo
echo "By the kernel's test runs:"
"$build/bin/xdp_study" "$output"
cat "$output/tables.md"
for name in forward forward_by_trie firewall balancer; do
  gnuplot -e "folder='$output'; name='$name'" "$study/plot.gp"
done
echo "$output/shares-*.png, packets-*.png"
