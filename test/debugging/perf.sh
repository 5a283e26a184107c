#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# perf.sh PROGRAM: the file that perf injects for a variant shows its source lines and unwind information. Exits
# with 77 (skipped) without perf, or where the system does not let it record.
set -euo pipefail
. "$(dirname "$0")/lines.sh"
for command in perf readelf objdump; do
  command -v $command >/dev/null || {
    echo "skipped: $command is not installed (scripts/deps.sh)"
    exit 77
  }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
said=$scratch/said
export HOME=$scratch JITDUMPDIR=$scratch

perf record -q -k mono -e cpu-clock -o "$scratch/data" true >"$said" 2>&1 || {
  echo "skipped: the system does not let perf record: $(head -1 "$said")"
  exit 77
}
SARTOR_PERF=dump perf record -q -k mono -e cpu-clock -o "$scratch/data" "$1" >"$said" 2>&1
perf inject --jit -i "$scratch/data" -o "$scratch/injected" >"$said" 2>&1
for object in "$scratch"/.debug/jit/jitted-*.so; do
  readelf -sW "$object" 2>/dev/null | grep -q 'stepped{mode=2}$' || continue
  objdump --dwarf=decodedline "$object" >"$said" 2>&1
  text=$(readelf -SW "$object" 2>/dev/null | awk '$2 == ".text" || $3 == ".text" { for (i = 1; i <= NF; ++i) if ($i == "PROGBITS") print $(i + 1), $(i + 3) }')
  read -r begin size <<<"$text"
  for comment in first second inlined last; do
    expect "stepped_handler.cpp +$(line $comment) "
  done
  # All of its addresses are within the code.
  while read -r file _ address _; do
    [[ $file == *stepped_handler.cpp && $address == 0x* ]] || continue
    ((address >= 16#$begin && address <= 16#$begin + 16#$size)) || expect "no address $address outside of the code"
  done <"$said"
  objdump --dwarf=frames "$object" >"$said" 2>&1
  expect "FDE .*pc=0*$begin"
  exit 0
done
echo "no file for the variant:"
find "$scratch"
exit 1
