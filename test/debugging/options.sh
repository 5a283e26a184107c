#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# options.sh SCRATCH CLANG PLUGIN LAUNCHER SARTOR_CC INCLUDE: which half of an object has source lines, by the options.
set -euo pipefail
scratch=$1 clang=$2 plugin=$3 launcher=$4 sartor_cc=$5 include=$6
source=$(realpath "$(dirname "$0")/stepped_handler.cpp")
mkdir -p "$scratch"
cd "$scratch"

# has NATIVE BITCODE COMMAND...: compiles; the native half has debug information or not (yes, no), and so has the bitcode.
has() {
  local native=$1 bitcode=$2
  shift 2
  rm -f object.o
  "$@" -std=c++20 -O2 -c -o object.o "$source"
  local found=no lines=no
  readelf -SW object.o | grep -q '\.debug_line' && found=yes
  objcopy -O binary --only-section=.sartor.bitcode --set-section-flags .sartor.bitcode=alloc object.o bitcode
  # The names of the compile unit's folder and of functions are in the bitcode's strings.
  grep -qa "$scratch" bitcode && lines=yes
  [[ $found == "$native" && $lines == "$bitcode" ]] || {
    echo "native $found, bitcode $lines, not $native and $bitcode: $*"
    exit 1
  }
}

by_plugin=(-DSARTOR_POINTS=1 -fPIC "-I$include" "-fplugin=$plugin" "-fpass-plugin=$plugin")
launched=("$launcher" "${SARTOR_LLVM:-22}" "$clang" unused "${by_plugin[@]}")
has no yes "${launched[@]}"
has no no "${launched[@]}" -g0
has yes yes "${launched[@]}" -g
has yes yes "${launched[@]}" -gline-tables-only
has yes no "${launched[@]}" -g -fplugin-arg-sartor-lines=none
has no no "${launched[@]}" -fplugin-arg-sartor-lines=none
has no no "$clang" "${by_plugin[@]}"
has no yes "$sartor_cc" "-I$include"
has yes yes "$sartor_cc" "-I$include" -g
has no no "$sartor_cc" "-I$include" -g0

if "$clang" "${by_plugin[@]}" -fplugin-arg-sartor-lines=all -c -o object.o "$source" 2>said; then
  echo "an unknown word is accepted"
  exit 1
fi
grep -q 'lines=all is not understood; write none or variants' said

# Lines change no byte of the native code.
"$clang" "${by_plugin[@]}" -std=c++20 -O2 -c -o without.o "$source"
"${launched[@]}" -std=c++20 -O2 -c -o with.o "$source"
for object in without with; do
  objcopy -O binary --only-section=.text $object.o $object.text
done
cmp without.text with.text
