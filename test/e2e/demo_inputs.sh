#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# demo_inputs.sh NINJA BUILD: `make demo` builds the command and the compiler, but not libsartor-bpf, nor programs and
# passes of the loader.
set -euo pipefail
ninja=$1 build=$2
[[ $(basename "$ninja") == *ninja* ]] || exit 77
# Everything that is reachable. The tool "inputs" omits the dependencies of phony targets.
made=$("$ninja" -C "$build" -t graph demo | sed -n 's/.*label="\(.*\)".*/\1/p')
for needed in bin/matmul_server bin/sartor lib/libsartor-compiler.so; do
  grep -Fxq -- "$needed" <<<"$made" || { echo "the demo does not build $needed" && exit 1; }
done
if grep -E '^(bin/sartor-ld|lib/libsartor-bpf|lib/sartor/|src/libsartor_all)' <<<"$made"; then
  echo "the demo builds these, which it does not need"
  exit 1
fi
