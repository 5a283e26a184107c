#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sartor-clang.sh CLANG COMPILER ARGUMENTS...
# A compiler launcher for CMake: compiles with CLANG whatever the program's own compiler is. Where
# the arguments do not say which source lines are kept, only variants have them, not the object.
clang=$1
shift 2
lines='-gdwarf-4 -gline-tables-only -gno-column-info -gno-key-instructions -fplugin-arg-sartor-lines=variants'
for word; do
  case $word in -g* | -R* | -fsave-optimization-record*) lines= ;; esac
done
# shellcheck disable=SC2086 # several words
exec "$clang" $lines "$@"
