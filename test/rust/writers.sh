#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# writers.sh SOURCE BUILD CLANGXX: Rust code that stores to watched fields of a C struct has no guards. Addresses of
# fields that are passed to it are listed, and page protection detects all of its stores.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
clangxx=$3
work=$build/test/rust/writers
mkdir -p "$work"
cd "$work"
rustc --edition 2021 --crate-type staticlib -O -C panic=abort -A unused "$source/test/rust/writers.rs" -o libwriters.a
"$clangxx" -std=c++23 -O2 -g -I"$source/include" -fplugin="$build/lib/SartorPlugin.so" \
  -fpass-plugin="$build/lib/SartorPlugin.so" "$source/test/rust/writers.cpp" \
  "$source/test/runtime/refuse_userfaultfd.cpp" libwriters.a -L"$build/lib" \
  -Wl,-rpath,"$build/lib" -lsartor -o writers
"$build/bin/sartor" guards --json writers >guards.json
grep -q '"passed to rust_sets()"' guards.json || { echo "an address that Rust gets is not listed"; cat guards.json; exit 1; }
for way in all none; do
  SARTOR_TEST_USERFAULTFD=$way ./writers
done
