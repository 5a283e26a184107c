#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# addresses.sh SARTOR_LD PROBES: compares a program's memory map and its permissions with those of the stock loader.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 probes=$2

# Constants are executable only in huge pages that also hold code.
few=128 # the loader's own stubs, and pages with both
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

# A heap has as much room as before, wherever a program's libraries are.
for program in where where_fixed; do
  expect 0 "$probes/$program" grow
  stock=$(cat "$work/out")
  for passes in "" bind concat bind,concat; do
    for how in "" --in-place; do
      expect 0 "$ld" --strict --passes=$passes $how "$probes/$program" grow
      says out "$stock"
    done
  done
done

# bits COMMAND...: prints the number of address bits that differ between starts.
bits() {
  local set=0 unset=0 at i count=0
  for ((i = 0; i < 60; ++i)); do
    at=$("$@") || fail "$* ended with $?"
    set=$((set | at))
    unset=$((unset | ~at))
  done
  for ((at = set & unset; at > 0; at >>= 1)); do
    count=$((count + (at & 1)))
  done
  echo $count
}
# at_least BITS COMMAND...
at_least() {
  local least=$1 has
  shift
  has=$(bits "$@")
  [ "$has" -ge "$least" ] || fail "$has bits of addresses differ, not $least: $*"
}
carry=2     # the base to which the kernel adds its random number is not aligned
huge_page=9 # bits that are the same within a huge page
stock=$(($(bits "$probes/where" library) - carry))
if [ "$stock" -gt 20 ]; then # false under setarch -R
  for what in program library; do
    at_least $stock "$ld" --strict --passes=bind "$probes/where" $what
    at_least $((stock - huge_page)) "$ld" --strict "$probes/where" $what
  done
  at_least $stock "$ld" --strict --passes=bind --in-place "$probes/where" library
  at_least $stock "$ld" --strict --passes= "$probes/where_fixed" library
  at_least $((stock - huge_page)) "$ld" --strict --passes=concat "$probes/where_fixed" library
  for passes in "" bind; do
    at_least $(($(bits "$probes/where_fixed" heap) - carry)) \
      "$ld" --strict --passes=$passes "$probes/where_fixed" heap
  done
fi

# A core dump identifies libraries for tools that go by build ids and know the program.
if command -v eu-unstrip >/dev/null && grep -qx core /proc/sys/kernel/core_pattern; then
  cd "$work"
  ulimit -c unlimited
  known() { # build ids and names, except those of the vDSO and of the front
    local program=$1
    shift
    rm -f core*
    ("$@" abort >/dev/null 2>&1) 2>/dev/null || true
    eu-unstrip -n --core="$(ls core*)" -e "$program" | sed 's/^[^ ]* //; s/@[^ ]*//; s/ .* / /' |
      grep -v -e vdso -e sartor-ld -e ld-linux -e '\[dso\]' | sort
  }
  for program in "$probes/where" "$probes/where_fixed"; do
    known "$program" "$program" >stock
    grep -q libm stock || fail "eu-unstrip names no library"
    for passes in bind bind,concat; do
      known "$program" "$ld" --strict --passes=$passes "$program" >ours
      for name in where libc; do
        grep "$name" stock >some
        grep -qxFf some ours || fail "no $name in the core dump of $program with $passes: $(cat ours)"
      done
    done
  done
fi
