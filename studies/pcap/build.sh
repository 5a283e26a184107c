#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE DIRECTORY gcc|clang: builds libpcap as it is in DIRECTORY, by its own configure and Makefile, and
# the study's programs with it.
# build.sh SOURCE DIRECTORY sartor SARTOR_CC: the same with Sartor in it.
# build.sh SOURCE DIRECTORY tcpdump LIBPCAP: builds tcpdump as it is, with the library in LIBPCAP; whoever runs it says
# by LD_LIBRARY_PATH which one it is to be.
set -euo pipefail
source=$1 directory=$2 kind=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
cp -r "$source" "$directory"
cd "$directory"
build() { # OPTION... of configure
  { ./configure "$@" && make; } >log 2>&1 || { tail -n 30 log >&2; exit 1; }
}
# Savefiles need nothing of what this machine may or may not have for live captures.
libpcap=(--disable-dbus --disable-rdma --disable-bluetooth --disable-usb --disable-netmap --without-libnl --without-dpdk)
case $kind in
gcc) compiler=(gcc -O2) ;;
clang) compiler=(clang-22 -O3 -march=native) ;; # what the faster of the two is most often compiled with
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
ln -sf libpcap.so.*.* libpcap.so.1 # what programs that are linked with it ask for
ln -sf libpcap.so.1 libpcap.so
mkdir public # headers, without config.h and the like
ln -s ../pcap ../pcap.h public
# How fast an interpreter is depends on where it lies: so it lies at four places in a line of the cache.
for place in 16 32 48 64; do
  "${compiler[@]}" -I. -DPLACE=$place -o speed-$place "$here/speed.c" libpcap.a
done
for program in count gather; do
  "${compiler[@]}" -I. -o $program "$here/$program.c" -L. -Wl,-rpath,"$directory" -lpcap
done
