#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fuzz.sh BUILD SECONDS [FUZZER...]: runs each fuzzer of a built tree, or the named ones, for so
# long. The corpora are kept in BUILD/corpus, failing inputs in BUILD/harm. Fuzzers of conversations
# start with those in $CONVERSATIONS (BUILD/../release/conversations), which the program
# record_conversations of another build has written.
set -euo pipefail
build=$(realpath "${1:?usage: scripts/fuzz.sh BUILD_DIRECTORY SECONDS [FUZZER...]}")
seconds=${2:-60}
fuzzers=("${@:3}")
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=(configuration device device_talk difference elf image message nf_balancer nf_bridge nf_firewall nf_nat nf_policer plan profile program_talk section stored toml)
mkdir -p "$build/harm"

# seeds_for NAME: prints the initial inputs of a fuzzer.
seeds_for() {
  mkdir -p "$build"/{corpus,seeds}/"$1"
  case $1 in
    elf) cp "$build"/lib/libfuzz_subject_*.so "$build/seeds/elf" ;;
    plan) # The plan of a real program; its image file is mostly code.
      image=$(mktemp -u)
      trap 'rm -f "$image"' EXIT
      ASAN_OPTIONS=detect_leaks=0 "$build/bin/sartor-ld-plan" --passes "" --output "$image" /usr/bin/true
      size=$(od -An -t u8 -j 4104 -N 8 "$image" | tr -d ' ')
      dd if="$image" of="$build/seeds/plan/true" bs=8 skip=512 count=$((size / 8)) status=none ;;
    *_talk)
      cp "${CONVERSATIONS:-$build/../release/conversations}/$1"/* "$build/seeds/$1" ;;
    nf_*) ;; # Nothing: the frames that it changes are the function's.
    *) "$build/bin/fuzz_seeds" "$build/seeds" "$build"/lib/libfuzz_subject_plain.so ;;
  esac
}

for what in "${fuzzers[@]}"; do
  seeds_for "$what"
  "$build/bin/fuzz_$what" -max_total_time="$seconds" -max_len=131072 -timeout=30 \
    -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/harm/$what-" \
    "$build/corpus/$what" "$build/seeds/$what" >"$build/fuzz_$what.log" 2>&1 ||
    { tail -n 40 "$build/fuzz_$what.log"; exit 1; }
  echo "fuzz_$what: $(grep -o 'number_of_executed_units.*' "$build/fuzz_$what.log")"
done
