#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sartor-clang.sh VERSION CLANG COMPILER ARGUMENTS...
# A compiler launcher for CMake: compiles with CLANG, which is of major version VERSION, whatever the
# program's own compiler is. Where the arguments do not say which source lines are kept, only variants
# have them, not the object.
version=$1 clang=$2 compiler=$3
shift 3
lines='-gdwarf-4 -gline-tables-only -gno-column-info -fplugin-arg-sartor-lines=variants'
[ "$version" -lt 21 ] || lines="$lines -gno-key-instructions"
sanitized=
for word; do
  case $word in
    -g* | -R* | -fsave-optimization-record*) lines= ;;
    -fsanitize=*) sanitized=1 ;;
  esac
done
# A check that gcc does not have. The library with which older versions of gcc link does not either.
if [ -n "$sanitized" ]; then
  case $(readlink -f "$(command -v "$compiler")") in
    *clang*) ;;
    *) set -- "$@" -fno-sanitize=function ;;
  esac
fi
# shellcheck disable=SC2086 # several words
exec "$clang" $lines "$@"
