#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# device-library.sh COMPILER DIRECTORY [OPTION...]: builds libsartor-device.a for the target of a C
# compiler such as aarch64-linux-gnu-gcc, and libsodium.a, which it needs, from the source in
# Debian. The options are the compiler's; default: -Os.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: scripts/device-library.sh COMPILER DIRECTORY [OPTION...]" >&2; exit 2; }
compiler=$1 directory=$2
shift 2
[ $# -gt 0 ] || set -- -Os
here=$(cd "$(dirname "$0")/.." && pwd)
archiver=${compiler%gcc}ar
command -v "$compiler" >/dev/null || { echo "$compiler is not installed" >&2; exit 1; }
command -v "$archiver" >/dev/null || archiver=ar

sources=${SARTOR_SOURCES:-$here/build/sources}
"$here/scripts/source.sh" libsodium "$sources"
sodium=$sources/libsodium/src/libsodium
mkdir -p "$directory/include/sodium" "$directory/objects/sodium" "$directory/objects/device"
cp "$sources/libsodium/builds/msvc/version.h" "$directory/include/sodium/" # replaces the output of its configure script
cp "$sodium"/include/sodium.h "$directory/include/"
cp "$sodium"/include/sodium/*.h "$directory/include/sodium/"

# Compiles each file into an object named by its path; the linker drops unused ones.
compile() { # OBJECTS OPTION...
  local objects=$1
  shift
  xargs -P "$(nproc)" -I{} sh -c 'object=$2/$(echo "$1" | tr -d . | tr / _).o; shift 2; exec "$@" -o "$object"' \
    compile {} "$objects" "$compiler" -std=c11 -ffunction-sections -fdata-sections -c "$@" {}
}
(cd "$sodium" && find ./* -name '*.c' |
  compile "$directory/objects/sodium" "$@" -w -D_GNU_SOURCE -DCONFIGURED=1 -DNATIVE_LITTLE_ENDIAN=1 -Iinclude/sodium \
    -Iinclude "-I$directory/include/sodium")
(cd "$here/src" && find device base/contain.c -name '*.c' |
  compile "$directory/objects/device" "$@" -Wall -Wextra -Werror -I. -I../include "-I$directory/include")
rm -f "$directory/libsodium.a" "$directory/libsartor-device.a"
"$archiver" rcs "$directory/libsodium.a" "$directory"/objects/sodium/*.o
"$archiver" rcs "$directory/libsartor-device.a" "$directory"/objects/device/*.o
