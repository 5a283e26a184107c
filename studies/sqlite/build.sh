#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE DIRECTORY stock: builds unmodified SQLite with gcc and with clang: DIRECTORY/gcc.a
# and clang.a. build.sh SOURCE DIRECTORY sartor SARTOR_CC INCLUDE: the same with Sartor, sartor.a.
set -euo pipefail
source=$(realpath "$1") directory=$(realpath -m "$2") kind=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
mkdir -p "$directory"
exec 3>&2 >"$directory/log" 2>&1
trap 'cat "$directory/log" >&3' ERR
cp -r "$source" "$directory/source"
[ "$kind" = stock ] || patch -s -d "$directory/source" -p1 <"$here/sqlite.patch"
cd "$directory"
(mkdir make && cd make && ../source/configure --disable-tcl && make sqlite3.c)
options="-w -fPIC -DNDEBUG -DSQLITE_THREADSAFE=1"
fast="-O3 -march=native" # the usual options of the faster compiler
case $kind in
  stock)
    gcc -O2 $options -c make/sqlite3.c -o gcc.o
    clang-22 $fast $options -c make/sqlite3.c -o clang.o
    for compiler in gcc clang; do ar rcs $compiler.a $compiler.o; done
    ;;
  sartor)
    cp "$here"/ssartor*.[ch] make/tsrc
    cd make/tsrc
    # Instructions that variants leave to the interpreter get unused opcode numbers.
    awk 'NR == FNR { for (i = 1; i <= NF; ++i) kept["OP_" $i]; next }
      { number = $3 } $1 == "#define" && $2 ~ /^OP_/ && !($2 in kept) { $3 = "(256 + " $3 ")" } 1
      $2 ~ /^OP_/ { print "#define FAST_" substr($2, 4), number }' \
      "$here/opcodes.kept" opcodes.h >opcodes.some
    mkdir ../variant
    # Functions that variants inline, under other names.
    sed -n '/^typedef struct \(Sum\|Count\)Ctx/,/^};/p' func.c >ssartor_taken.h
    while read -r file name; do
      awk -v name="$name" '!inside && $0 ~ "^[a-z].*[ *]" name "\\(" && !/;/ { inside = 1; sub(/^static /, ""); sub(/SQLITE_NOINLINE /, ""); printf "static " }
        inside { print } inside && /^}/ { exit }' "$file" | sed "s/\b$name(/ssartor_$name(/"
      echo "#define $name ssartor_$name"
    done <"$here/functions.taken" >>ssartor_taken.h
    grep -q '^static .*ssartor_btreeParseCellPtr(' ssartor_taken.h
    # All other functions of the interpreter's file are linked already.
    clang-22 -O0 $options -I. -c vdbe.c -o vdbe.o
    nm --defined-only -g vdbe.o | awk '$3 != "sqlite3VdbeExec" { print "#define " $3 " SSARTOR_NAME(" $3 ")" }' >ssartor_others.h
    clang-22 $fast $options "-I$5" -DSQLITE_PRIVATE= -I. -c ../sqlite3.c -o ../../sqlite3.o
    for file in ssartor ssartor_program ssartor_step; do
      clang-22 $fast $options "-I$5" -I. -c $file.c -o ../../$file.o
    done
    cp ./*.h vdbe.c ssartor_variant.c ../variant
    cd ../variant
    mv ../tsrc/opcodes.some opcodes.h
    # Lifetime markers would merge many jumps into one block.
    "$4" -O2 $options -Xclang -disable-lifetime-markers "-I$5" -c ssartor_variant.c -o ../../ssartor_variant.o
    cd ../..
    ar rcs sartor.a sqlite3.o ssartor*.o
    ;;
esac
