#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh DIRECTORY PREFIX: builds the kernel of the study in DIRECTORY, with the Sartor that is
# installed in PREFIX. What is up to date is not built again. Takes five minutes on two processors
# the first time, and 700 MB.
set -euo pipefail
[ $# = 2 ] || { echo "usage: build.sh DIRECTORY PREFIX" >&2; exit 2; }
mkdir -p "$1"
directory=$(realpath "$1") prefix=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
archive=/usr/src/linux-source-6.1.tar.xz
LLVM=22
log=$directory/log
exec 3>&2 >"$log" 2>&1
trap 'tail -n 30 "$log" >&3' ERR

# The sources, patched; again when the package or the patch changes.
version=$(cat "$archive" "$here/kernel/linux.patch" | sha256sum)
if [ "$(cat "$directory/source.version" 2>/dev/null)" != "$version" ]; then
  rm -rf "$directory/source" "$directory/source.version"
  mkdir "$directory/source"
  tar -xf "$archive" -C "$directory/source" --strip-components=1
  patch -s -p1 -d "$directory/source" <"$here/kernel/linux.patch"
  echo "$version" >"$directory/source.version"
fi

# Files that have not changed keep their time, so that kbuild does not compile them again.
mkdir -p "$directory/source/net/sartor"
for file in "$here"/kernel/sartor/*; do
  cmp -s "$file" "$directory/source/net/sartor/${file##*/}" || cp "$file" "$directory/source/net/sartor/"
done
kbuild=(make -C "$directory/source" ARCH=um "O=$directory/kernel" "LLVM=-$LLVM" "SARTOR_INCLUDE=$prefix/include")
if [ ! -f "$directory/kernel/.config" ] || [ "$here/kernel/config" -nt "$directory/kernel/.config" ]; then
  "${kbuild[@]}" "KCONFIG_ALLCONFIG=$here/kernel/config" allnoconfig
fi
"${kbuild[@]}" -j "${JOBS:-2}" linux

if [ "$here/take.cpp" -nt "$directory/take" ]; then
  mapfile -t flags < <(llvm-config-$LLVM --cppflags --ldflags --libs core irreader bitwriter ipo passes | tr ' ' '\n' | grep .)
  clang++-$LLVM -std=c++23 -O1 -fno-rtti "$here/take.cpp" -o "$directory/take" "${flags[@]}"
fi
inputs=("$directory/kernel/linux" "$directory/take" "$here/functions.taken" "$here/link.py" "$here/kernel/module.h"
  "$here"/kernel/sartor/host* "$prefix/lib/libsartor-device.a" "$prefix/bin/sartor")
for input in "${inputs[@]}"; do
  if [ "$input" -nt "$directory/linux" ]; then
    rm -f "$directory/linux"
    "$here/link.py" "$directory" "$prefix"
    break
  fi
done
for input in "$here/guest.sh" "$here"/guest/* "$here/kernel/sartor/uapi.h"; do
  if [ "$input" -nt "$directory/initrd.cpio" ]; then
    "$here/guest.sh" "$directory"
    break
  fi
done
