// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
use sartor_build::Handlers;

fn main() {
    sartor_build::handlers("src/handlers.rs");
    sartor_build::handlers("src/lanes.rs");
    sartor_build::handlers("src/machine.rs");
    Handlers::new("src/with_std/lib.rs")
        .name("with_std")
        .edition("2024")
        .dependency("tables", r#"{ path = "tables" }"#)
        .compile();
}
