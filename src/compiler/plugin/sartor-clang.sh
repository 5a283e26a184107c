#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sartor-clang.sh CLANG COMPILER ARGUMENTS...
# A compiler launcher for CMake: compiles with CLANG whatever the program's own compiler is.
clang=$1
shift 2
exec "$clang" "$@"
