#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# studies.sh SARTOR PREFIX BUILD [OPTION...]: configures the studies in BUILD, with the compilers and
# options of the build tree SARTOR, and with the Sartor that is installed in PREFIX. Options are
# CMake's.
set -euo pipefail
cd "$(dirname "$0")/.."
sartor=$1 prefix=$2 build=$3
mapfile -t same < <(grep -E '^CMAKE_(BUILD_TYPE|(C|CXX)_(COMPILER|FLAGS|FLAGS_RELEASE|FLAGS_DEBUG)|(EXE|SHARED)_LINKER_FLAGS):' \
  "$sartor/CMakeCache.txt" | sed 's/^/-D/')
cmake -S studies -B "$build" -G Ninja "${same[@]}" "-DCMAKE_PREFIX_PATH=$prefix" "${@:4}"
