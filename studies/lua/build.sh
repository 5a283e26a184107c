#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE DIRECTORY gcc|clang: builds stock Lua by its own Makefile, in DIRECTORY.
# build.sh SOURCE DIRECTORY sartor SARTOR_CC LIBRARIES HEADERS: builds Lua with Sartor.
set -euo pipefail
source=$1 directory=$2 kind=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
cp -r "$source" "$directory"
# Lua up to 5.4.4 does not save the pc of an integer division: the error for a division by zero
# names the line of an earlier instruction that saved its pc. 5.4.5 fixes it, and all builds here
# do.
sed -i 's/op_arithK\{0,1\}(L, luaV_\(mod\|idiv\),/savestate(L, ci); &/' "$directory/lvm.c"
fast="-O3 -march=native" # the usual options of the faster compiler
build() { # COMPILER OPTIONS WORD...
  make -s -C "$directory" CC="$1" CFLAGS="$2 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX" MYLDFLAGS=-Wl,-E "${@:3}" >"$directory/log" 2>&1 ||
    { cat "$directory/log" >&2; exit 1; }
}
case $kind in
  gcc) build "gcc -std=gnu99" -O2 MYLIBS=-ldl lua ;;
  clang) build "clang-22 -std=gnu99" "$fast" MYLIBS=-ldl lua ;;
  sartor)
    patch -s -d "$directory" -p1 <"$here/lua.patch"
    cp "$here"/lsartor*.[ch] "$directory"
    includes=-I$6
    # Lifetime markers would merge many jumps into one block.
    build "$4" "-O2 $includes -w -Xclang -disable-lifetime-markers" lsartor_variant.o
    build "clang-22 -std=gnu11" "$fast $includes" MYOBJS=lsartor.o LUA_O="lua.o lsartor_variant.o" \
      MYLIBS="-L$5 -Wl,-rpath,$5 -lsartor -lpthread -ldl" lua
    ;;
esac
