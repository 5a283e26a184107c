#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mistakes.sh SOURCE BUILD: invalid uses are refused with a message that states the reason and the remedy; a panic that
# may not unwind ends the program as it does without Sartor.
source=$1 build=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/cargo.sh"
work=$build/rust/mistakes
rm -rf "$work"
mkdir -p "$work/src"
cd "$work"
cat >Cargo.toml <<END
[package]
name = "mistaken"
version = "0.0.0"
edition = "2021"

[dependencies]
sartor = { path = "$crates/sartor" }

[build-dependencies]
sartor-build = { path = "$crates/sartor-build" }

[workspace]

[profile.release]
panic = "abort"
END
cat >build.rs <<'END'
fn main() {
    sartor_build::handlers("src/handlers.rs");
}
END
failed=0

# main_is: sets the program's statements; handlers_are: sets the code after the first lines of the handlers' file.
main_is() {
  printf 'extern crate handlers;\n%s\n' "$(cat)" >src/main.rs
}
handlers_are() {
  printf '#![allow(unused_imports, dead_code)]\nuse sartor::*;\n%s\n' "$(cat)" >src/handlers.rs
}
# refused NAME PATTERN...: the programs in `programs` do not build, and the output matches all patterns.
refused() {
  local name=$1 output pattern
  shift
  if output=$(PATH=${programs:-$PATH} cargo build 2>&1); then
    echo "$name: is built"
    failed=1
    return
  fi
  for pattern; do
    grep -Eq -- "$pattern" <<<"$output" || { echo "$name: does not say \"$pattern\": $output"; failed=1; }
  done
}
main_is <<<'fn main() { println!("{}", handlers::twice(21)); }'

handlers_are <<<'#[handler] pub fn twice<T: Into<u32>>(value: T) -> u32 { value.into() * 2 }'
refused "a generic handler" '`twice` has type parameters' 'twice::<Mine>' 'handlers.rs:3'
handlers_are <<<'#[handler] pub fn twice(value: impl Into<u32>) -> u32 { value.into() * 2 }'
refused "a handler of any type" '`twice` has type parameters'
handlers_are <<<'pub struct S; impl S { #[handler] pub fn twice(&self) {} } pub fn twice(_: u32) -> u32 { 0 }'
refused "a method" '`twice` is a method'
handlers_are <<<'#[handler(often)] pub fn twice(value: u32) -> u32 { value * 2 }'
refused "a word that is not known" 'there are #\[handler\] and #\[handler\(direct\)\]'
handlers_are <<<'#[handler] pub async fn twice(value: u32) -> u32 { value * 2 }'
refused "an asynchronous handler" 'is not `async`'
handlers_are <<<'#[handler] pub extern "C" fn twice(value: u32) -> u32 { value * 2 }'
refused "a handler of C" 'leave out `extern`'
handlers_are <<<'#[handler] #[inline] pub fn twice(value: u32) -> u32 { value * 2 }'
refused "an inline handler" 'is not #\[inline\]'
handlers_are <<<'pub struct Pair(u32, u32); #[handler] pub fn twice(pair: Pair) -> u32 { pair.0 + pair.1 }'
refused "a parameter by value" 'cannot have a parameter of type `Pair`' 'pass it by reference'
handlers_are <<<'pub struct Wide(u64); unsafe impl Parameter for Wide { const FORM: Form = u32::FORM; }
#[handler] pub fn twice(value: Wide) -> u32 { value.0 as u32 * 2 }'
refused "a parameter that is passed otherwise" 'wrong_signature: "handlers::twice": parameter 0 is not passed as u32'
handlers_are <<<'#[handler] pub fn twice(value: u32) -> u32 { point_enum!("a", value, 1u32, "b") }'
refused "a choice of another type" 'mismatched types' 'handlers.rs:3'
handlers_are <<<'#[derive(Clone, Copy)] pub struct S(u8, u8);
#[handler] pub fn twice(value: u32) -> u32 { point_enum!("a", S(1, 2), S(1, 2)); value }'
refused "a point of another type" '`S` cannot be the type of a point'
handlers_are <<<'#[derive(Clone, Copy, Choice)] pub enum E { A, B }
#[handler] pub fn twice(value: u32) -> u32 { point_generic!("a", E::A); value }'
refused "any value of an enumeration" 'might give `E` a value that it does not have'
handlers_are <<<'#[derive(Clone, Copy, Choice)] pub enum E { A(u8), B }
pub fn twice(value: u32) -> u32 { value }'
refused "choices with fields" 'enumerations without fields'
handlers_are <<<'use std::cell::Cell; #[derive(Constant)] pub struct S { count: Cell<u32> }
pub fn twice(value: u32) -> u32 { value }'
refused "a cell that does not change" '`Cell<u32>` cannot be declared invariant'
handlers_are <<<'#[handler] pub fn twice(value: u32) -> u32 { point_enum!("a", value, 1, 2) + point_enum!("a\0b", value, 3) }'
refused "a label that cannot be one" 'has a NUL|label'

handlers_are <<<'#[handler] pub fn twice(value: u32) -> u32 { point_enum!("a", value, 1, 2) * 2 }'
main_is <<<'fn main() { println!("{}", sartor::point_enum!("b", handlers::twice(21), 1, 2)); }'
refused "a point in a crate that is not for it" 'handlers and points are for files that `sartor_build::Handlers` compiles'
main_is <<<'#[sartor::handler] fn here(value: u32) -> u32 { value } fn main() { here(1); }'
refused "a handler in a crate that is not for it" 'handlers and points are for files that `sartor_build::Handlers` compiles'
main_is <<<'fn main() { let r = sartor::Runtime::open().unwrap(); r.handler(handlers::twice).unwrap(); }'
refused "a handler without its type" 'runtime.handler\(lookup as fn\(u32\) -> u32\)'
main_is <<<'fn main() { let r = sartor::Runtime::open().unwrap();
  let b = sartor::bind!(r, |text: &str| -> u32 { handlers::twice(text) }).unwrap(); }'
refused "a binding of another type" 'mismatched types'
main_is <<<'fn main() { let r = sartor::Runtime::open().unwrap();
  let b = sartor::bind!(r, |a: u32, more: u32| -> u32 { handlers::twice(a) }).unwrap(); }'
refused "a binding with a parameter too many" '`more` is no argument of the handler'
handlers_are <<<'#[handler] pub fn total(values: &[u32], first: u32) -> u32 { values.iter().sum::<u32>() + first }'
main_is <<<'fn main() { let r = sartor::Runtime::open().unwrap();
  let b = sartor::bind!(r, |values: &Vec<u32>| -> u32 { handlers::total(values, 7) }).unwrap(); }'
refused "a binding of a type that a call would convert" 'mismatched types' 'Vec<u32>'
handlers_are <<<'pub static TABLE: [u8; 2] = [1, 2];
#[handler] pub fn part(from: usize) -> &'"'static"' [u8; 2] { let _ = from; &TABLE }'
main_is <<<'fn main() { let r = sartor::Runtime::open().unwrap();
  let b = sartor::bind!(r, |from: usize| -> &'"'static"' [u8] { handlers::part(from) }).unwrap(); }'
refused "a binding of a result that a call would convert" 'mismatched types'
handlers_are <<<'#[handler] pub fn twice(value: u32) -> u32 { point_enum!("a", value, 1, 2) * 2 }'
main_is <<<'fn main() { let r = sartor::Runtime::open().unwrap();
  let b = { let a = 1u32; sartor::bind!(r, || -> u32 { handlers::twice(a) }).unwrap() }; println!("{}", b());
  let kept = { let text = String::new(); sartor::Invariant::declare(&text).unwrap() }; drop(kept); }'
refused "an invariant that outlives its memory" '`text` does not live long enough'

main_is <<<'fn main() { println!("{}", handlers::twice(21)); }'
rm src/handlers.rs
refused "a file that is not there" '"src/handlers.rs": is no file of this package'
handlers_are <<<'#[handler] pub fn twice(value: u32) -> u32 { point_enum!("a", value, 1, 2) * 2 }'
mkdir other
cat >other/rustc <<END
#!/bin/sh
[ "\$1" != -vV ] || { "$(command -v rustc)" -vV | sed 's/^LLVM version: .*/LLVM version: 21.1.8/'; exit; }
exec "$(command -v rustc)" "\$@"
END
chmod +x other/rustc
RUSTC=$work/other/rustc refused "a rustc with another LLVM" 'with LLVM 21.1.8; Sartor needs LLVM 22' 'rustc-web'
SARTOR_LIBRARIES=$work/other refused "no library" "\"$work/other/libsartor.so\": is not there" SARTOR_LIBRARIES
touch other/libsartor.so
SARTOR_LIBRARIES=$work/other refused "no plugin" 'SartorPlugin.so": is not there'
(unset SARTOR_LIBRARIES; PKG_CONFIG_LIBDIR=$work/other PKG_CONFIG_PATH='' refused "no Sartor" 'knows no sartor' PKG_CONFIG_PATH; exit "$failed") ||
  failed=1
mkdir few
for tool in cargo rustc cc ld llvm-ar-22 llvm-objcopy-22 opt-22 sh pkg-config; do ln -s "$(command -v $tool)" few/; done
ln -s "$(command -v ld.lld || command -v ld)" few/ld.lld
programs=$work/few refused "no clang" '"clang-22": is not installed' 'apt-get install clang-22'
rm few/llvm-objcopy-22
programs=$work/few refused "no tools of LLVM's" '"llvm-objcopy-22": is not installed' 'apt-get install llvm-22'

# Valid code builds.
cargo build 2>&1 | tail -n 1
[[ $("$CARGO_TARGET_DIR/debug/mistaken") == 42 ]] || { echo "the program that is right does not work"; failed=1; }
# Where panics do not unwind, they end the program from a variant, too.
handlers_are <<<'#[handler] pub fn twice(value: u32) -> u32 { let list = [1, 2]; list[point_enum!("a", value, 1, 5) as usize] }'
main_is <<<'fn main() {
  let runtime = sartor::Runtime::open().unwrap();
  let twice = runtime.handler(handlers::twice as fn(u32) -> u32).unwrap();
  println!("{}", twice(1));
  println!("{}", runtime.specialize(&sartor::Configuration::new().set("a", 5)).unwrap().len());
  println!("{}", std::panic::catch_unwind(|| twice(5)).is_err());
}'
cargo build --release 2>&1 | tail -n 1
status=0
output=$("$CARGO_TARGET_DIR/release/mistaken" 2>&1) || status=$?
[[ $status == 134 && $output == $'2\n1\n'*'index out of bounds: the len is 2 but the index is 5'* ]] ||
  { echo "a panic that does not unwind: $status, $output"; failed=1; }
exit "$failed"
