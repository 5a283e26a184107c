#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compiler_library.sh PROGRAM LIBRARY COMPILER OTHER_COMPILER COMMAND DIRECTORY: libsartor loads its compiler library
# when something must be compiled and not before, and works without a compiler.
set -euo pipefail
program=$1 library=$2 compiler=$3 other=$4 command=$5 directory=$6
rm -rf "$directory"
mkdir -p "$directory/lib" "$directory/moved"
unset SARTOR SARTOR_COMPILER SARTOR_COMPILER_LIBRARY SARTOR_CACHE_DIR SARTOR_EVENT_LOG

# expect NAME OUTPUT: compares the file `output`.
expect() {
  if [[ $output != $2 ]]; then
    printf '%s: unexpected output:\n%s\n' "$1" "$output"
    exit 1
  fi
}

for file in "$program" "$library" "$command"; do
  output=$(ldd "$file")
  [[ $output != *LLVM* ]] || expect "$file is linked with LLVM" ""
done

output=$("$program" idle)
expect "a program that only links Sartor" $'before: no LLVM\nafter: no LLVM'

output=$("$program")
expect "a program that specializes" $'before: no LLVM\nactive\nvariants: 1\nresult: 14\nafter: LLVM'

output=$(SARTOR=off "$program")
expect "Sartor is off" $'before: no LLVM\ninactive\nvariants: 0\nresult: 14\nafter: no LLVM'

# libsartor alone.
cp -L "$library" "$directory/lib/libsartor.so.0"
export LD_LIBRARY_PATH=$directory/lib
output=$(SARTOR_EVENT_LOG=$directory/events "$program")
expect "no compiler" $'before: no LLVM\ninactive\nno_compiler: "libsartor-compiler.so.0": *install*SARTOR_COMPILER_LIBRARY*\nresult: 14\nafter: no LLVM'
grep -q no_compiler "$directory/events" || { echo "no compiler: no event tells of it"; exit 1; }

output=$(SARTOR_COMPILER_LIBRARY=$compiler "$program")
expect "a compiler that is named" $'before: no LLVM\nactive\nvariants: 1\nresult: 14\nafter: LLVM'

output=$(SARTOR_COMPILER_LIBRARY=/nowhere/compiler.so "$program")
expect "a compiler that is not there" $'*\ninactive\nno_compiler: "/nowhere/compiler.so": *\nresult: 14\nafter: no LLVM'

cp -L "$other" "$directory/lib/libsartor-compiler.so.0"
output=$("$program")
expect "another build's compiler" $'*\ninactive\nno_compiler: "*/lib/libsartor-compiler.so.0": is of another build: 0.0.9 another*\nresult: 14\n*'

echo "no compiler at all" >"$directory/lib/libsartor-compiler.so.0"
output=$("$program")
expect "a damaged compiler" $'*\ninactive\nno_compiler: "*/lib/libsartor-compiler.so.0": cannot be loaded: *\nresult: 14\n*'

cp -L "$compiler" "$directory/lib/libsartor-compiler.so.0"
output=$("$program")
expect "a compiler that was moved along" $'*\nactive\nvariants: 1\nresult: 14\nafter: LLVM'
echo "LLVM is loaded when it is needed"
