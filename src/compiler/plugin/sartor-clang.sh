#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sartor-clang.sh VERSION CLANG COMPILER ARGUMENTS...
# A compiler launcher for CMake: compiles with CLANG, which is of major version VERSION, whatever the
# program's own compiler is. Where the arguments do not say which source lines are kept, only variants
# have them, not the object.
version=$1 clang=$2
shift 3
lines='-gdwarf-4 -gline-tables-only -gno-column-info -fplugin-arg-sartor-lines=variants'
[ "$version" -lt 21 ] || lines="$lines -gno-key-instructions"
for word; do
  case $word in -g* | -R* | -fsave-optimization-record*) lines= ;; esac
done
# shellcheck disable=SC2086 # several words
exec "$clang" $lines "$@"
