#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# studies.sh PRESET PREFIX BUILD [OPTION...]: configures the studies in BUILD, with the compilers and
# options of a preset of CMakePresets.json, and with the Sartor that is installed in PREFIX. Options are
# CMake's.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 prefix=$2 build=$3
# The values that the preset has given to the build of Sartor.
mapfile -t same < <(grep -E '^CMAKE_(BUILD_TYPE|(C|CXX)_(COMPILER|FLAGS|FLAGS_RELEASE|FLAGS_DEBUG)|(EXE|SHARED)_LINKER_FLAGS):' \
  "build/$preset/CMakeCache.txt" | sed 's/^/-D/')
cmake -S studies -B "$build" -G Ninja "${same[@]}" "-DCMAKE_PREFIX_PATH=$prefix" "${@:4}"
