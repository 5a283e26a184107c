#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# device.sh SOURCE STAGE BUILD [DEVICES ARCHITECTURE...]: runs the example of a device on this machine and on other
# architectures, whose libraries are in DEVICES: all print the same.
set -euo pipefail
source=$1 stage=$2 build=$3 devices=${4-}
shift 3
[ $# = 0 ] || shift
expected='generic: 40 52 76 89 82 76
variant: 40 52 76 89 82 76
generic: 48 62 82 96 92 88
1 request, '

# run NAME VARIABLE...: the device runs up to three times, because it waits for the server for a limited time.
run() {
  local name=$1
  shift
  rm -rf "${build:?}/$name"
  mkdir -p "$build/$name"
  for _ in 1 2 3; do
    if ! make --no-print-directory -C "$source" run SARTOR="$stage" BUILD="$build/$name" "$@" >"$build/$name.log" 2>&1; then
      cat "$build/$name.log"
      return 1
    fi
    echo "$name:"
    tail -n 4 "$build/$name.log"
    if [[ $(tail -n 4 "$build/$name.log") == "$expected"*" bytes of code" ]]; then return 0; fi
  done
  echo "is not: $expected"
  return 1
}

declare -A triples=([aarch64]=aarch64-linux-gnu [armv7]=arm-linux-gnueabihf [riscv64]=riscv64-linux-gnu)
declare -A emulators=([aarch64]=qemu-aarch64 [armv7]=qemu-arm [riscv64]=qemu-riscv64)
run here
for architecture; do
  triple=${triples[$architecture]}
  run "$architecture" TARGET="$architecture" TRIPLE="$triple" DEVICE="$devices/$architecture" \
    RUN="${emulators[$architecture]} -L /usr/$triple"
done
