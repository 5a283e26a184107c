#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# crates.sh SOURCE BUILD debug|release|lto|package: tests the crates in programs without optimization, with it, and with
# link-time optimization; or packages them.
source=$1 build=$2 part=$3
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
cd "$crates"
case $part in
debug)
  cargo test --locked --workspace
  # Only the handler reads its local memory while it runs.
  SARTOR_CHECK_LOCALS=1 cargo test --locked -p sartor-tests --test interpret
  ;;
release) cargo test --locked --release -p sartor-tests ;;
lto)
  for kind in fat thin; do
    CARGO_PROFILE_RELEASE_LTO=$kind CARGO_TARGET_DIR=$CARGO_TARGET_DIR/lto cargo test --locked --release -p sartor-tests --test specialize
  done
  ;;
package)
  # The uploaded crates compile alone, without the library, as on a documentation server.
  SARTOR_LIBRARIES=$SARTOR_CACHE_DIR cargo package --locked --allow-dirty
  ;;
*) echo "usage: crates.sh SOURCE BUILD debug|release|lto|package" >&2; exit 2 ;;
esac
