#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# add_handler_mistakes.sh STAGE WORK: each mistake in a call of sartor_add_handler(), sartor_add_bpf_handler() or
# sartor_watch() stops CMake's configuration with a message that names it.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
stage=$1 work=$2
rm -rf "$work"

# expect LANGUAGES CALL MESSAGE
expect() {
  rm -rf "$work/source" "$work/build"
  mkdir -p "$work/source"
  cd "$work/source"
  echo 'int main(void) { return 0; }' >main.c
  touch handler.f90 handler.cpp
  cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(mistake LANGUAGES $1)
find_package(Sartor REQUIRED)
add_executable(program main.c)
$2
CMAKE
  if cmake -G Ninja -B ../build -DCMAKE_PREFIX_PATH="$stage" -DCMAKE_C_COMPILER=clang-$llvm \
    -DCMAKE_CXX_COMPILER=clang++-$llvm >../log 2>&1; then
    echo "was accepted: $2"
    exit 1
  fi
  # CMake wraps long lines.
  if ! tr -s '\n ' ' ' <../log | grep -qF -- "$3"; then
    echo "no word of '$3' in:"
    cat ../log
    exit 1
  fi
}

mkdir -p "$work"
expect C 'sartor_add_handler(program SOURCES no_such.c)' '"no_such.c" does not exist'
expect C 'sartor_add_handler(program SOURCES handler.f90)' '"handler.f90" is neither C nor C++'
expect C 'sartor_add_handler(progam SOURCES main.c)' 'there is no target "progam"'
expect C 'sartor_add_handler(program SOURCES)' 'no SOURCES given'
expect C 'sartor_add_handler(program main.c)' '"main.c" is not understood'
expect C 'sartor_add_handler(program SOURCES handler.cpp)' 'needs the language CXX'
expect C 'set(SARTOR_CLANG NOTFOUND)
set(SARTOR_LLVM_VERSION 0)
sartor_add_handler(program SOURCES main.c)' 'clang-0 is not installed'
expect C 'sartor_add_handler(program SOURCES main.c DECLARATIONS no_such.sartor)' '"no_such.sartor" does not exist'
expect C 'sartor_watch(program DECLARATIONS no_such.sartor)' '"no_such.sartor" does not exist'
expect C 'add_library(objects OBJECT main.c)
sartor_watch(objects DECLARATIONS main.c)' 'nothing is built of an object library'
expect C 'add_library(objects OBJECT main.c)
sartor_add_handler(objects SOURCES main.c)' 'among the objects of an object library; make it a static library'
expect C 'add_library(headers INTERFACE)
sartor_add_handler(headers SOURCES main.c)' 'nothing is compiled for an interface library; call it for each target'
expect C 'add_library(headers INTERFACE)
sartor_watch(headers)' 'nothing is compiled for an interface library; call it for each target'
expect C 'add_library(built STATIC IMPORTED)
sartor_watch(built)' 'is an imported target'
expect C 'add_custom_target(custom)
sartor_add_handler(custom SOURCES main.c)' 'nothing is compiled for a custom target'
expect C 'set_source_files_properties(main.c PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
sartor_watch(program)
target_precompile_headers(program PRIVATE <stdio.h>)' 'has SKIP_PRECOMPILE_HEADERS, and files'
expect C 'sartor_watch(progam)' 'there is no target "progam"'
expect C 'sartor_watch(program main.c)' '"main.c" is not understood'
expect C 'set(SARTOR_CLANG NOTFOUND)
set(SARTOR_LLVM_VERSION 0)
sartor_watch(program)' 'clang-0 is not installed'
expect C 'sartor_add_bpf_handler(program SOURCES no_such.bpf.c)' '"no_such.bpf.c" does not exist, or is not called <name>.bpf.c'
expect C 'sartor_add_bpf_handler(program SOURCES main.c)' '"main.c" does not exist, or is not called <name>.bpf.c'
expect C 'sartor_add_bpf_handler(progam SOURCES main.bpf.c)' 'there is no target "progam"'
expect C 'sartor_add_bpf_handler(program main.bpf.c)' 'write sartor_add_bpf_handler(target SOURCES file.bpf.c...)'
expect C 'set(SARTOR_CLANG NOTFOUND)
set(SARTOR_LLVM_VERSION 0)
sartor_add_bpf_handler(program SOURCES main.c)' 'clang-0 is not installed'
