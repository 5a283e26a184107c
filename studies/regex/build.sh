#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE DIRECTORY gcc|clang: builds unmodified PCRE2 for 8 bits in DIRECTORY, with
# pcre2test, harness.c and fallback_paths.c. build.sh SOURCE DIRECTORY sartor SARTOR_CC LIBRARIES
# HEADERS: the same with Sartor. The first also has PCRE2's own JIT.
set -euo pipefail
source=$1 directory=$2 kind=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
mkdir -p "$directory"
cp -r "$source/src/." "$directory"
cd "$directory"
cp config.h.generic config.h
cp pcre2.h.generic pcre2.h
cp pcre2_chartables.c.dist pcre2_chartables.c
files="auto_possess chartables compile config context convert dfa_match error extuni find_bracket jit_compile maketables match
  match_data newline ord2utf pattern_info script_run serialize string_utils study substitute substring tables ucd valid_utf xclass"
defined="-DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_PCRE2_8 -DSUPPORT_UNICODE -DPCRE2_STATIC -DHAVE_MEMMOVE -DHAVE_STRERROR
  -DHAVE_INTTYPES_H -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_SYS_STAT_H -DHAVE_SYS_TYPES_H -DHAVE_LIMITS_H -DHAVE_STDLIB_H -DHAVE_STRING_H
  -DHAVE_BUILTIN_MUL_OVERFLOW -DHAVE_ATTRIBUTE_UNINITIALIZED -I. -w"
libraries=
case $kind in
  gcc) compiler="gcc -O2" defined+=" -DSUPPORT_JIT" ;;
  clang) compiler="clang-22 -O3 -march=native" ;;
  sartor)
    patch -s -p1 <"$here/pcre2.patch"
    cp "$here"/psartor*.[ch] .
    compiler="gcc -O2" defined+=" -I$6" # of the two, the one that makes the faster interpreter
    # Lifetime markers would merge many jumps into one block.
    "$4" -O2 $defined -Xclang -disable-lifetime-markers -c psartor_variant.c -o psartor_variant.o
    $compiler $defined -c psartor.c -o psartor.o
    libraries="psartor.o psartor_variant.o -L$5 -Wl,-rpath,$5 -lsartor"
    ;;
esac
objects=
for file in $files; do
  $compiler $defined -c "pcre2_$file.c" -o "$file.o"
  objects+=" $file.o"
done
$compiler $defined pcre2test.c pcre2posix.c $objects $libraries -lpthread -o pcre2test
$compiler $defined "$here/fallback_paths.c" $objects $libraries -lpthread -o fallback_paths
$compiler $defined "$here/harness.c" $objects $libraries -lpthread -o regex
