#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# addresses.sh SARTOR_LD PROBES: what of a program lies where in memory, and what may be done with it,
# against the stock loader.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 probes=$2

# Constants are executable only in huge pages that hold code, too.
few=128 # KiB: the loader's own stubs, and pages that have both
for program in executable executable_fixed; do
  expect 0 "$probes/$program"
  stock=$(cat "$work/out")
  expect 0 "$ld" --strict --passes=bind "$probes/$program"
  [ "$(cat "$work/out")" -le $((stock + few)) ] ||
    fail "$program has $(cat "$work/out") KiB of executable memory, not $stock"
  expect 0 "$ld" --strict --passes=bind,concat "$probes/$program"
  [ "$(cat "$work/out")" -le $((stock + 4096)) ] ||
    fail "packed, $program has $(cat "$work/out") KiB of executable memory, not $stock"
done
