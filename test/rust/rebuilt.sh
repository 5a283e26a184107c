#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# rebuilt.sh SOURCE BUILD: handlers are compiled again if and only if their inputs have changed, and with the user's
# settings of cargo.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
work=$build/rust/rebuilt
rm -rf "$work"
mkdir -p "$work/src" "$work/libraries"
cd "$work"
cat >Cargo.toml <<END
[package]
name = "rebuilt"
version = "0.0.0"
edition = "2021"

[dependencies]
sartor = { path = "$crates/sartor" }

[build-dependencies]
sartor-build = { path = "$crates/sartor-build" }

[workspace]
END
cat >build.rs <<'END'
fn main() {
    sartor_build::handlers("src/handlers.rs");
}
END
cat >src/main.rs <<'END'
extern crate handlers;
fn main() {
    let runtime = sartor::Runtime::open().unwrap();
    let scaled = runtime.handler(handlers::scaled as fn(u32) -> u32).unwrap();
    runtime.specialize(&sartor::Configuration::new().set("value", 7)).unwrap();
    println!("{} {}", scaled(7), handlers::scaled(8));
}
END
cat >src/handlers.rs <<'END'
#![no_std]
mod factor;
#[sartor::handler]
pub fn scaled(value: u32) -> u32 {
    sartor::point_enum!("value", value, 7, 8) * factor::FACTOR
}
END
factor_is() {
  echo "pub const FACTOR: u32 = $1;" >src/factor.rs
}
complain() {
  echo "$*"
  exit 1
}
# gives WHAT EXPECTED PROGRAM CARGO-ARGUMENTS...
gives() {
  local what=$1 expected=$2 program=$CARGO_TARGET_DIR/$3 output
  shift 3
  output=$(cargo build "$@" 2>&1) || complain "$what: $output"
  [[ $("$program") == "$expected" ]] || complain "$what: gives $("$program"), not $expected"
}
factor_is 2
gives "at first" "14 16" debug/rebuilt
factor_is 3
gives "a module that has changed" "21 24" debug/rebuilt
[[ $(cargo build -v 2>&1) == *"Fresh rebuilt v0.0.0"* ]] || complain "is built again for nothing"
cat >src/factor.rs <<'END'
pub const FACTOR: u32 = match option_env!("REBUILT_FACTOR") {
    Some(_) => 4,
    None => 3,
};
END
gives "a variable that is not set" "21 24" debug/rebuilt
REBUILT_FACTOR=4 gives "a variable that is set" "28 32" debug/rebuilt
gives "a variable that is not set any more" "21 24" debug/rebuilt
[[ $(cargo build -v 2>&1) == *"Fresh rebuilt v0.0.0"* ]] || complain "is built again for nothing, with a variable"
factor_is 3

# For a target that is selected by the command or by a file, with options.
gives "a target that is named" "21 24" x86_64-unknown-linux-gnu/release/rebuilt --release --target x86_64-unknown-linux-gnu
mkdir .cargo
cat >.cargo/config.toml <<'END'
[build]
target = "x86_64-unknown-linux-gnu"
rustflags = ["-Ctarget-cpu=native"]
END
gives "settings in a file" "21 24" x86_64-unknown-linux-gnu/debug/rebuilt
rm -r .cargo

# Another plugin: a file that is none.
ln -s "$build"/lib/libsartor* libraries
cp "$build/lib/SartorPlugin.so" libraries/
export SARTOR_LIBRARIES=$work/libraries
gives "another directory" "21 24" debug/rebuilt
echo no plugin >libraries/SartorPlugin.so
! output=$(cargo build 2>&1) || complain "is not compiled again with another plugin"
[[ $output == *"SartorPlugin.so"* ]] || complain "does not say which plugin: $output"
