#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE DIRECTORY gcc|clang: builds unmodified libpcap in DIRECTORY, with its own
# configure and Makefile, and the study's programs with it. build.sh SOURCE DIRECTORY sartor
# SARTOR_CC: the same with Sartor. build.sh SOURCE DIRECTORY tcpdump LIBPCAP: builds unmodified
# tcpdump with the library in LIBPCAP; LD_LIBRARY_PATH selects the library at run time.
set -euo pipefail
source=$1 directory=$2 kind=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
cp -r "$source" "$directory"
cd "$directory"
build() { # CONFIGURE-OPTION...
  { ./configure "$@" && make; } >log 2>&1 || { tail -n 30 log >&2; exit 1; }
}
# Disables the live capture features, which savefiles do not need and which depend on the machine.
libpcap=(--disable-dbus --disable-rdma --disable-bluetooth --disable-usb --disable-netmap --without-libnl --without-dpdk)
case $kind in
gcc) compiler=(gcc -O2) ;;
clang) compiler=(clang-22 -O3 -march=native) ;; # the usual options of the faster compiler
sartor)
  compiler=("$4" -O2)
  patch -s -p1 <"$here/libpcap.patch"
  cp "$here"/psartor* .
  ;;
tcpdump)
  build --without-crypto --without-smi --without-cap-ng CC=gcc CFLAGS=-O1 "CPPFLAGS=-I$4/public" "LDFLAGS=-L$4"
  exit
  ;;
esac
build "${libpcap[@]}" CC="${compiler[0]}" CFLAGS="${compiler[*]:1}"
ln -sf libpcap.so.*.* libpcap.so.1 # the name that programs linked with it use
ln -sf libpcap.so.1 libpcap.so
mkdir public # headers, without internal ones such as config.h
ln -s ../pcap ../pcap.h public
# An interpreter's speed depends on its address, so it is linked at four offsets in a cache line.
for place in 16 32 48 64; do
  "${compiler[@]}" -I. -DPLACE=$place -o speed-$place "$here/speed.c" libpcap.a
done
for program in count gather; do
  "${compiler[@]}" -I. -o $program "$here/$program.c" -L. -Wl,-rpath,"$directory" -lpcap
done
