#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# crates.sh SOURCE BUILD: tests the crates, in programs that are optimised and in such that are not, and
# packages them.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
cd "$crates"
cargo test --locked --workspace
cargo test --locked --release -p sartor-tests
# What is the handler's own while it runs is looked at by nobody else.
SARTOR_CHECK_LOCALS=1 cargo test --locked -p sartor-tests --test interpret
# Whole programs, optimised as one.
for kind in fat thin; do
  CARGO_PROFILE_RELEASE_LTO=$kind CARGO_TARGET_DIR=$CARGO_TARGET_DIR/lto cargo test --locked --release -p sartor-tests --test specialize
done
# What is uploaded compiles by itself; without the library at hand, as where documentation is made.
SARTOR_LIBRARIES=$SARTOR_CACHE_DIR cargo package --locked --allow-dirty
