#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# exit_while_compiling.sh PROGRAM: the program must exit cleanly at any moment of a compilation.
for delay in 0 500 1000 2000 3000 4000 5000 6000 7000 8000 10000 12000 15000 20000 25000; do
  for again in 1 2 3 4; do
    "$1" "$delay" || { echo "failed with $? after $delay microseconds"; exit 1; }
  done
done
echo "all exits were clean"
