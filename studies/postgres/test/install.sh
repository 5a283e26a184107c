#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install.sh BUILD DIRECTORY: PGXS must install the provider that is in BUILD, and its extension, below DIRECTORY.
set -euo pipefail
build=$1 directory=$2
rm -rf "$directory"
make -C "$(dirname "$0")/.." install BUILD="$build" DESTDIR="$directory"
of() { echo "$directory$(/usr/lib/postgresql/15/bin/pg_config "$1")"; }
cmp "$build/sartor_jit.so" "$(of --pkglibdir)/sartor_jit.so"
ls "$(of --sharedir)"/extension/sartor_jit{.control,--1.0.sql}
