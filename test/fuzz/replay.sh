#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# replay.sh PROGRAMS LIBRARIES CONVERSATIONS WORK: runs each fuzzer on its seeds.
set -euo pipefail
programs=$1 libraries=$2 conversations=$3 work=$4
rm -rf "$work"
mkdir -p "$work/elf"
"$programs/fuzz_seeds" "$work" "$libraries/libfuzz_subject_plain.so"
cp "$libraries"/libfuzz_subject_*.so "$work/elf"
for what in program_talk device_talk; do
  cp -r "$conversations/$what" "$work/$what"
done
for program in "$programs"/fuzz_*; do
  what=${program##*/fuzz_}
  [[ $what == seeds || ! -x $program ]] && continue
  inputs=()
  [[ ! -d $work/$what ]] || mapfile -t inputs < <(find "$work/$what" -type f | sort)
  ((${#inputs[@]})) || { # these fuzzers take inputs of any bytes
    head -c 4096 "$programs/fuzz_seeds" > "$work/$what"
    inputs=("$work/$what")
  }
  echo "$what: $("$program" "${inputs[@]}" 2>&1 | tail -1)"
  ((PIPESTATUS[0] == 0))
done
