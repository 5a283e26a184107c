#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# llvm_names.sh SOURCE STAGE WORK: finds LLVM to build Sartor in SOURCE, and builds and runs examples/hello with the
# Sartor in STAGE by CMake and sartor-c++, where programs of LLVM have the names that LLVM itself gives them. Only clang's
# name has a version there.
set -euo pipefail
source=$1 stage=$2 work=$3
rm -rf "$work"
mkdir -p "$work/bin"
version=${SARTOR_LLVM:-22} # that Sartor is built with
llvm=$(llvm-config-$version --bindir)
ln -s /usr/bin/* "$work/bin"
rm -f "$work"/bin/{clang,clang++,llvm-config,ld.lld}{,"-$version"}
ln -s "$llvm/llvm-config" "$work/bin"
ln -s "$llvm/clang" "$work/bin/clang-$version"
ln -s "$llvm/clang++" "$work/bin"
export PATH=$work/bin

# shellcheck disable=SC2016 # variables of CMake
printf 'include(%s)\nmessage("${SARTOR_CLANG} ${SARTOR_CLANGXX} ${SARTOR_LLD}")\n' "$source/cmake/SartorLlvm.cmake" >"$work/programs.cmake"
programs=$(cmake -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DSARTOR_LLVM_VERSION=$version -P "$work/programs.cmake" 2>&1)
echo "$programs"
[[ $programs == "$work/bin/clang-$version $llvm/clang++ $llvm/ld.lld" ]]
# refused VERSION MESSAGE
refused() {
  if cmake -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DSARTOR_LLVM_VERSION="$1" -P "$source/cmake/SartorLlvm.cmake" >"$work/log" 2>&1; then
    echo "takes LLVM $version for $1"
    exit 1
  fi
  tr -s '\n ' ' ' <"$work/log" | grep -q "$2"
}
other=$((version == 20 ? 21 : 20))
rm -f "$work/bin/llvm-config-$other"
refused $other "llvm-config is of LLVM $version"
refused 18 "needs LLVM 19 to 23, not 18; set SARTOR_LLVM_VERSION"
refused 24 "needs LLVM 19 to 23, not 24; set SARTOR_LLVM_VERSION"

is_specialized() { grep -q '^active: polynomial{terms=4}'; }
cmake -G Ninja -S "$source/examples/hello" -B "$work/hello" -DCMAKE_PREFIX_PATH="$stage" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF \
  -DCMAKE_CXX_COMPILER="$work/bin/clang++" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep "SARTOR_CLANGXX.*=$work/bin/clang++" "$work/hello/CMakeCache.txt"
cmake --build "$work/hello" -j1 >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/hello/hello" | is_specialized
SARTOR_CXX=clang++ "$stage/bin/sartor-c++" -std=c++20 -o "$work/by_driver" "$source"/examples/hello/{main,handlers}.cpp
"$work/by_driver" | is_specialized
