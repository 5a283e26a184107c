// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![doc = include_str!("../README.md")]

mod compiler;
mod handlers;
#[allow(dead_code)] // source of the crate sartor
mod json;
mod package;
mod profile;
mod report;
mod sartor;
mod wrapper;

use std::fmt;

pub use handlers::Handlers;

/// Compiles a file with handlers, as `Handlers::new(file).compile()` does: its crate has the file's name.
pub fn handlers(file: &str) {
    Handlers::new(file).compile();
}

/// Makes the package's programs find libsartor at run time. For a package without handlers of its own, whose
/// programs use those of another package.
pub fn program() {
    or_end(sartor::Sartor::find().map(|found| found.report_programs()));
}

/// Tells cargo where to link libsartor from. For the crate `sartor`.
#[doc(hidden)]
pub fn link_library() {
    println!("cargo:rustc-link-lib=dylib=sartor");
    match sartor::Sartor::find() {
        Ok(found) => {
            println!("cargo:rustc-link-search=native={}", found.libraries.display());
            found.report_programs();
        }
        // Documentation can be built, and code checked, without the library.
        Err(mistake) => println!("cargo:warning={mistake}"),
    }
}

/// A build error: its subject, its message and a remedy.
#[derive(Debug)]
pub(crate) struct Mistake {
    subject: String,
    message: String,
    remedy: String,
}

impl Mistake {
    pub(crate) fn new(
        subject: impl fmt::Display,
        message: impl fmt::Display,
        remedy: impl fmt::Display,
    ) -> Mistake {
        Mistake { subject: subject.to_string(), message: message.to_string(), remedy: remedy.to_string() }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sartor-build: \"{}\": {} ({})", self.subject, self.message, self.remedy)
    }
}

/// Ends the build script with a message that cargo shows as an error.
pub(crate) fn or_end<T>(result: Result<T, Mistake>) -> T {
    match result {
        Ok(value) => value,
        Err(mistake) => {
            println!("cargo::error={mistake}");
            eprintln!("error: {mistake}");
            std::process::exit(1);
        }
    }
}
