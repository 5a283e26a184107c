#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: prints tables, writes data and the plot to OUTPUT. The tap device is in a
# network namespace of the measuring process and is removed with it; if that is not allowed, this
# part is left out with a message.
set -euo pipefail
study=$(realpath "$(dirname "$0")")
programs=${1:?usage: run.sh BUILD OUTPUT}/bin
output=${2:?usage: run.sh BUILD OUTPUT}
if [ ! -x "$programs/send_study" ]; then
  echo "studies/send was left out of the build: lwIP's source is missing (make study-sources)" >&2
  exit 1
fi
mkdir -p "$output"
"$programs/send_study" "$output"
if [ -x "$programs/send_device_study" ]; then
  "$programs/send_device_study"
else
  echo "sending on devices was left out of the build: their compilers are missing (scripts/deps.sh)"
fi
gnuplot -e "folder='$output'" "$study/plot.gp"
echo "$output/cycles.png"
