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
# Whole programs, optimised as one.
CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 CARGO_TARGET_DIR=$CARGO_TARGET_DIR/lto \
  cargo test --locked --release -p sartor-tests --test specialize
# What is uploaded compiles by itself; without the library at hand, as where documentation is made.
SARTOR_LIBRARIES=$SARTOR_CACHE_DIR cargo package --locked --allow-dirty
