#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# example.sh SOURCE BUILD: builds examples/rust as a user does, and runs it.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
cd "$source/examples/rust"
cargo build --locked --release
unset LD_LIBRARY_PATH
output=$(cd / && "$CARGO_TARGET_DIR/release/ports" 2>&1)
expected='generic: 2500
active: handlers::sum\{stride=2\}: [0-9]+ bytes
specialized: 2500, guarded: 970
port 1 and 0
depends on [0-9] invariants, followed Whole, remarks \[\]
port 2 after the limit has changed
valid again: true
remembered: handlers::popular_port\{port=1\}: [0-9]+ bytes
port 2 and 3
as expected: unknown_label: strid
[0-9]+ variants in [0-9]+ bytes'
echo "$output"
[[ $output =~ ^$expected$ ]] || { echo "is not as expected"; exit 1; }
