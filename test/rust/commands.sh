#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# commands.sh SOURCE BUILD: cargo's commands include the handlers, and show errors in them.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
work=$build/rust/commands
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/app.sh"

said "tests" 'both_are_reported_the_same ... ok.*src/lib.rs - \(line 3\) ... ok' cargo test
said "documentation" 'Generated' cargo doc --lib --no-deps
[[ -f $CARGO_TARGET_DIR/doc/app/handlers/fn.scaled.html ]] || { echo "handlers are not documented"; failed=1; }
said "what is packaged" 'Packaged' cargo package -p "$package" --allow-dirty

# Warnings of rustc and clippy are shown.
echo 'pub fn has_none(all: &[u32]) -> bool { let unused = 1; all.len() == 0 }' >>app/src/handlers.rs
said "a warning" 'unused variable: `unused`.*handlers.rs:11' cargo check
if cargo clippy -V >/dev/null 2>&1; then
  SARTOR_CLIPPY=1 said "clippy" 'clippy::len_zero' cargo clippy
else
  echo "without clippy, which this cargo does not have"
fi
exit "$failed"
