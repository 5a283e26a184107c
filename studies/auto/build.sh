#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh PROGRAM DIRECTORY gcc|clang SOURCES: builds one of the study's programs, DIRECTORY/PROGRAM, of unmodified
# sources in the directory SOURCES.
# build.sh PROGRAM DIRECTORY auto SOURCES SARTOR_CC PROFILE: the same with automatic handlers for the functions of a
# profile or of a list. Only the compiler's name differs from clang's build.
set -euo pipefail
program=$1 directory=$2 kind=$3 sources=$4
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
mkdir -p "$directory/objects"
flags="-O3 -march=native"
case $kind in
  gcc) c=gcc cxx=g++ ;;
  clang) c=clang-22 cxx=clang++-22 ;;
  auto)
    c="$5 --sartor-cc=clang-22 -fsartor-auto=$6"
    cxx="$(dirname "$5")/sartor-c++ --sartor-cc=clang++-22 -fsartor-auto=$6"
    ;;
esac
# A stand-in for the last, to try the study without the option.
[[ $kind != auto || -n $5 ]] || { c=clang-22 cxx=clang++-22; }

compile() { # OPTIONS FILE...
  local file options=$1
  shift
  for file in "$@"; do
    # shellcheck disable=SC2086 # words
    case $file in
      *.cpp) $cxx $flags -std=c++17 -w $options -c "$file" -o "$directory/objects/$(basename "$file").o" ;;
      *) $c $flags -std=gnu11 -w $options -c "$file" -o "$directory/objects/$(basename "$file").o" ;;
    esac
  done
}
case $program in
  kernels) compile "" "$here"/kernels/*.c ;;
  hnsw) compile "" "$here/hnsw/hnsw_work.cpp" ;;
  zstd)
    zstd=$sources/libzstd/lib
    compile "-I$zstd" "$zstd"/{common,compress,decompress}/*.[cS] "$here/zstd/zstd_work.c"
    ;;
  png)
    # LodePNG is C, or C++ with a few functions more, by its file's name.
    cp "$sources/lodepng/lodepng.cpp" "$directory/lodepng.c"
    compile "-I$sources/lodepng" "$directory/lodepng.c" "$here/png/png_work.c"
    ;;
esac
compile "" "$here/driver.c"
# shellcheck disable=SC2086 # words
$cxx $flags "$directory"/objects/*.o -o "$directory/$program" -lm -lpthread
