#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# building.sh KIND EXAMPLES STAGE WORK: builds the example of one build system with the sartor-cc in STAGE, in an
# environment without other settings, and runs the program.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
kind=$1 examples=$2 stage=$(realpath "$3") work=$4
need() {
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
  done
}
rm -rf "$work"
mkdir -p "$work/home"
cp -r "$examples/$kind" "$examples/program" "$work"
cp -r "$examples/program" "$work/$kind"
cd "$work/$kind"

clean=(env -i "PATH=$stage/bin:$PATH" "HOME=$work/home" "PKG_CONFIG_PATH=$stage/lib/pkgconfig"
  "CCACHE_DIR=$work/ccache" "LD_LIBRARY_PATH=")
[[ ! -d ${CARGO_HOME:-$HOME/.cargo} ]] || clean+=("CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}")
[[ ! -d ${RUSTUP_HOME:-$HOME/.rustup} ]] || clean+=("RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}")
# Prints the build's output if it fails.
build() {
  "${clean[@]}" "$@" >>"$work/log" 2>&1 || { tail -n 40 "$work/log"; echo "failed: $*"; exit 1; }
}
expect() {
  local output
  output=$("${clean[@]}" "$1" 2>&1) || { echo "$1: $output"; exit 1; }
  [[ $output == $'generic: 5\nspecialized: 5\nguarded: 1' ]] || { echo "$1: $output"; exit 1; }
}
need cc
case $kind in
make)
  need make ccache
  for compiler in sartor-cc "ccache sartor-cc" "sartor-cc --sartor-cc=clang-$llvm" "sartor-cc --sartor-watch"; do
    build make clean
    build make -j2 CC="$compiler"
    for program in count count-static count-shared count-lto; do expect "./$program"; done
  done
  build make clean
  build env "SARTOR_CC=ccache gcc" make -j2
  expect ./count
  # Files that depend on a header are compiled again, whichever compiler made them.
  touch -d '-1 minute' main.o filter.o
  touch ../program/filter.h
  for object in main.o filter.o; do
    if "${clean[@]}" make -q "$object"; then echo "$object does not depend on filter.h"; exit 1; fi
  done
  ;;
autotools)
  need autoreconf libtoolize make
  build autoreconf -i
  build ./configure CC=sartor-cc
  build make -j2
  expect ./count
  build make DESTDIR="$work/destination" install
  build make clean
  build ./configure CC=sartor-cc --disable-shared
  build make -j2
  expect ./count
  ;;
cmake)
  need cmake ninja gcc-ar
  for shared in OFF ON; do
    build cmake -G Ninja -S . -B "build-$shared" -DCMAKE_C_COMPILER=sartor-cc -DBUILD_SHARED_LIBS=$shared
    build cmake --build "build-$shared"
    expect "build-$shared/count"
  done
  build cmake -G Ninja -S . -B build-lto -DCMAKE_C_COMPILER=sartor-cc -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
    -DCMAKE_C_COMPILER_AR="$(command -v gcc-ar)" -DCMAKE_C_COMPILER_RANLIB="$(command -v gcc-ranlib)"
  build cmake --build build-lto
  expect build-lto/count
  ;;
meson)
  need meson ninja pkg-config
  for library in shared static; do
    build env CC=sartor-cc meson setup "build-$library" "-Ddefault_library=$library"
    build ninja -C "build-$library"
    expect "build-$library/count"
  done
  ;;
cargo)
  need cargo pkg-config ar
  # rustup's cargo does not work if no toolchain has been chosen.
  works=''
  for cargo in $(type -ap cargo); do
    ! "${clean[@]}" "$cargo" -V >/dev/null 2>&1 || { works=$cargo; break; }
  done
  [[ $works ]] || { echo "skipped: no cargo works without a toolchain that has been chosen"; exit 77; }
  clean+=("PATH=$stage/bin:$(dirname "$works"):$PATH")
  build cargo build --offline --release
  expect target/release/count
  ;;
esac
