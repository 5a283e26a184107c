#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# quickjs.sh DIRECTORY: fetches the source of QuickJS with its tests to DIRECTORY/quickjs, unless it
# is there. One Rust package contains all of it: cargo fetches that in one version, whose checksum is
# fixed. Installs nothing.
set -euo pipefail
[ $# = 1 ] || { echo "usage: scripts/quickjs.sh DIRECTORY" >&2; exit 2; }
directory=$1
[ ! -d "$directory/quickjs" ] || exit 0

fail() {
  echo "The source of QuickJS cannot be had: $*" >&2
  echo "Unpack it yourself into $directory/quickjs" >&2
  exit 1
}
command -v cargo >/dev/null || fail "there is no cargo"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=rquickjs-sys version=0.14.0
mkdir -p "$work/project/src"
touch "$work/project/src/lib.rs"
printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' $package $version \
  >"$work/project/Cargo.toml"
CARGO_HOME=$work/cargo cargo fetch --quiet --manifest-path "$work/project/Cargo.toml" >"$work/log" 2>&1 ||
  fail "$(tail -n 3 "$work/log")"
archive=$(echo "$work"/cargo/registry/cache/*/"$package-$version.crate")
echo "cee271d0eeba64f0915b846cb7ae02e16faf3dfdffdca91731101d9d30fe3423  $archive" | sha256sum --check --quiet >"$work/log" 2>&1 ||
  fail "it is another one"
tar -xf "$archive" -C "$work" "$package-$version/quickjs"
mkdir -p "$directory"
mv "$work/$package-$version/quickjs" "$directory/quickjs"
