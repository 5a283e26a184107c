# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced after cargo.sh: creates a workspace in $work with a package that uses many settings of cargo, and functions to
# examine its results.
# shellcheck disable=SC2154 # of cargo.sh
# Builds share a directory, in which packages are identified by their names.
package=app-$(basename "$work")
rm -rf "$work"
mkdir -p "$work/app/src" "$work/.cargo"
cd "$work"
# As if the crates were in a registry.
cat >.cargo/config.toml <<END
[patch.crates-io]
sartor = { path = "$crates/sartor" }
sartor-build = { path = "$crates/sartor-build" }
sartor-macros = { path = "$crates/sartor-macros" }
END
cat >Cargo.toml <<END
[workspace]
members = ["app"]
resolver = "2"

[workspace.package]
version = "1.2.3"
edition = "2024"

[profile.release]
overflow-checks = true

[profile.mine]
inherits = "release"
debug-assertions = true

[profile.mine.package.$package]
overflow-checks = false
END
cat >app/Cargo.toml <<END
[package]
name = "$package"
version.workspace = true
edition.workspace = true
description = "says \\"so\\""
license = "MIT"

[lib]
name = "app"

[features]
wide-one = []

[dependencies]
sartor = "0.1.0"

[build-dependencies]
sartor-build = "0.1.0"
END
# It prints something before and after the handlers, and generates a file that they include.
cat >app/build.rs <<'END'
fn main() {
    println!("cargo::rustc-check-cfg=cfg(fast)");
    println!("cargo::rustc-check-cfg=cfg(kind, values(\"a\", \"b\"))");
    println!("cargo::rustc-cfg=fast");
    println!("cargo::rerun-if-env-changed=APP_HASH");
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{out}/made.rs"), "pub const MADE: u32 = 5;").unwrap();
    sartor_build::handlers("src/handlers.rs");
    println!("cargo::rustc-cfg=kind=\"b\"");
    println!("cargo::rustc-env=HASH={}", std::env::var("APP_HASH").unwrap_or("none".into()));
}
END
cat >app/src/lib.rs <<'END'
//! The same of both crates.
//!
//! ```
//! assert_eq!(app::scaled(2), 2 * if cfg!(feature = "wide-one") { 100 } else { 10 });
//! ```

#[cfg(not(doc))]
extern crate handlers;
#[cfg(doc)]
pub mod handlers;

pub use handlers::scaled;
mod facts;

/// What this crate and the handlers' have been told.
pub fn facts() -> [String; 2] {
    [facts::facts(), handlers::facts::facts()]
}

/// Whether sums are checked.
pub fn checks() -> [bool; 2] {
    let largest = std::hint::black_box(u8::MAX);
    std::panic::set_hook(Box::new(|_| {}));
    let is_checked = |add: fn(u8, u8) -> u8| std::panic::catch_unwind(|| add(largest, 1)).is_err();
    [is_checked(facts::add), is_checked(handlers::facts::add)]
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_are_reported_the_same() {
        let [own, handlers] = super::facts();
        assert_eq!(own, handlers);
        let [own, handlers] = super::checks();
        assert_eq!(own, handlers);
    }
}
END
cat >app/src/facts.rs <<'END'
include!(concat!(env!("OUT_DIR"), "/made.rs"));

/// Checked or not.
#[inline(never)]
pub fn add(a: u8, b: u8) -> u8 {
    a + b
}

/// In one line.
pub fn facts() -> String {
    let kind = if let Some(5) = Some(MADE) && cfg!(kind = "b") { "b" } else { "" };
    format!(
        "{} {} {kind} {} {} {} {} {}",
        cfg!(feature = "wide-one"),
        cfg!(fast),
        env!("HASH"),
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_DESCRIPTION"),
        cfg!(debug_assertions),
    )
}
END
cat >app/src/handlers.rs <<'END'
//! Handlers.
#[cfg_attr(doc, path = "facts.rs")]
pub mod facts;

/// Scales.
#[sartor::handler]
pub fn scaled(value: u32) -> u32 {
    let factor = if cfg!(feature = "wide-one") { 100 } else { 10 };
    sartor::point_enum!("value", value, 7, 8) * factor
}
END
cat >app/src/main.rs <<'END'
fn main() {
    let runtime = sartor::Runtime::open().unwrap();
    let scaled = runtime.handler(app::scaled as fn(u32) -> u32).unwrap();
    runtime.specialize(&sartor::Configuration::new().set("value", 7)).unwrap();
    let [own, handlers] = app::facts();
    assert_eq!(own, handlers);
    println!("{} {handlers} {:?}", scaled(7), app::checks());
}
END
failed=0
# said WHAT PATTERN COMMAND...: the command succeeds and its output matches.
said() {
  local what=$1 pattern=$2 output
  shift 2
  output=$("$@" 2>&1) || { echo "$what: fails: $output"; failed=1; return; }
  [[ $output =~ $pattern ]] || { echo "$what: does not say \"$pattern\": $output"; failed=1; }
}
# refused WHAT PATTERN COMMAND...: the command fails and its output matches.
refused() {
  local what=$1 pattern=$2 output
  shift 2
  ! output=$("$@" 2>&1) || { echo "$what: succeeds: $output"; failed=1; return; }
  [[ $output =~ $pattern ]] || { echo "$what: does not say \"$pattern\": $output"; failed=1; }
}
