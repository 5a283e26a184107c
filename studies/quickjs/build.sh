#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE DIRECTORY gcc|clang|pgo: builds stock QuickJS in DIRECTORY. pgo: clang with a profile of programs/.
# build.sh SOURCE DIRECTORY sartor SARTOR_CC LIBRARIES HEADERS: builds QuickJS with Sartor.
set -euo pipefail
source=$1 directory=$2 kind=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
cp -r "$source" "$directory"
cd "$directory"
common="-std=gnu11 -D_GNU_SOURCE -DNDEBUG -funsigned-char -w -I."
fast="-O3 -march=native"
build() { # COMPILER OPTIONS LIBRARIES FILE...: links FILES and what is the same for all
  local compiler=$1 options=$2 libraries=$3
  shift 3
  # shellcheck disable=SC2086 # words
  $compiler $common $options -rdynamic "$@" qjs.c quickjs-libc.c dtoa.c libregexp.c libunicode.c \
    gen/repl.c gen/standalone.c -o qjs $libraries -lm -ldl -lpthread
}
case $kind in
  gcc) build gcc "$fast" "" quickjs.c ;;
  clang) build clang-22 "$fast" "" quickjs.c ;;
  pgo)
    build clang-22 "$fast -fprofile-generate=$PWD/profile" "" quickjs.c
    for program in "$here"/programs/*.js; do ./qjs "$here/harness.js" "$program" 20 </dev/null >/dev/null 2>&1; done
    llvm-profdata-22 merge -o all.profdata profile
    build clang-22 "$fast -fprofile-use=$PWD/all.profdata" "" quickjs.c
    ;;
  sartor)
    patch -s -p1 <"$here/quickjs.patch"
    cp "$here"/qsartor*.[ch] .
    # Lifetime markers would merge many jumps into one block; lines would make variants slower to compile.
    # shellcheck disable=SC2086
    "$4" $common $fast -I"$6" -Xclang -disable-lifetime-markers -fplugin-arg-sartor-lines=none -c quickjs.c -o quickjs.o
    build clang-22 "$fast -I$6" "-L$5 -Wl,-rpath,$5 -lsartor" quickjs.o qsartor.c
    ;;
esac
