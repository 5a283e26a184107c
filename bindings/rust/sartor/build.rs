// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tells cargo where libsartor is.

fn main() {
    if std::env::var_os("CARGO_FEATURE_RUNTIME").is_some() {
        sartor_build::link_library();
    }
}
