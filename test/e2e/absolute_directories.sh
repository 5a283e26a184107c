#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# absolute_directories.sh SOURCE BUILD WORK: configures as packagers do who name directories by absolute paths, with the
# compilers of BUILD; pkg-config knows the same directories.
set -euo pipefail
source=$1 build=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
mapfile -t settings < <(sed -nE 's/^((CMAKE_(C|CXX)_COMPILER|SARTOR_LLVM_(CONFIG|VERSION)):[A-Z]+=.*)/-D\1/p' "$build/CMakeCache.txt")
cmake -G Ninja -S "$source" -B "$work/build" "${settings[@]}" -DCMAKE_INSTALL_PREFIX=/opt/sartor -DCMAKE_INSTALL_LIBDIR=/opt/sartor/lib64 \
  -DCMAKE_INSTALL_INCLUDEDIR=/opt/sartor/headers -DSARTOR_BUILD_{TESTS,BENCH,EXAMPLES}=OFF >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
# As installed.
mkdir -p "$work/root/lib64/pkgconfig"
cp "$work/build/"*.pc "$work/root/lib64/pkgconfig"
for package in sartor sartor-bpf; do
  for variable in libdir:lib64 includedir:headers; do
    path=$(PKG_CONFIG_PATH=$work/root/lib64/pkgconfig pkg-config --variable="${variable%:*}" $package)
    [[ $(realpath -m "$path") == $(realpath -m "$work/root/${variable#*:}") ]] || { echo "$package: ${variable%:*} is $path"; exit 1; }
  done
done
