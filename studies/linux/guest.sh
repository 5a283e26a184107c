#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# guest.sh DIRECTORY: compiles the program that runs on the kernel, and packs it into
# DIRECTORY/initrd.cpio.
set -euo pipefail
directory=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$directory/root
rm -rf "$root"
mkdir -p "$root/dev" "$root/proc"
gcc -std=gnu11 -static -O2 -Wall -Wextra -Werror -I"$here/kernel/sartor" "$here"/guest/*.c -o "$root/init"
# Also as a user who may not make a device: the format is text.
[ "$EUID" = 0 ] && mknod "$root/dev/console" c 5 1
(cd "$root" && find . | cpio -o -H newc --quiet) >"$directory/initrd.cpio"
