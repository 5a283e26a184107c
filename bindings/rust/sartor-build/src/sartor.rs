// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds the location where Sartor is installed, or has been built.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Mistake;

pub(crate) struct Sartor {
    pub libraries: PathBuf,
    pub plugin: PathBuf,
}

/// Overrides the answer of pkg-config: the directory that has libsartor.so.
const VARIABLE: &str = "SARTOR_LIBRARIES";

impl Sartor {
    pub fn find() -> Result<Sartor, Mistake> {
        println!("cargo:rerun-if-env-changed={VARIABLE}");
        println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
        let libraries = match env::var_os(VARIABLE) {
            Some(named) => Path::new(&named).canonicalize().unwrap_or_else(|_| PathBuf::from(named)),
            None => asked()?,
        };
        let installed = libraries.join("sartor/SartorPlugin.so");
        let built = libraries.join("SartorPlugin.so");
        let plugin = if installed.exists() { installed } else { built };
        for file in [&libraries.join("libsartor.so"), &plugin] {
            if !file.exists() {
                return Err(Mistake::new(
                    file.display(),
                    "is not there",
                    format!("install Sartor as a whole, or name the directory that has it in {VARIABLE}"),
                ));
            }
        }
        Ok(Sartor { libraries, plugin })
    }

    /// Adds the library's directory to the run-time search path of this package's programs.
    pub fn report_programs(&self) {
        if !self.libraries.starts_with("/usr/lib") {
            println!("cargo:rustc-link-arg=-Wl,-rpath,{}", self.libraries.display());
        }
    }
}

fn asked() -> Result<PathBuf, Mistake> {
    let missing = |message: String| {
        Mistake::new(
            "pkg-config",
            message,
            format!(
                "install Sartor and add its lib/pkgconfig to PKG_CONFIG_PATH, or name the directory \
                 that has libsartor.so in {VARIABLE}"
            ),
        )
    };
    let output = Command::new("pkg-config")
        .args(["--variable=libdir", "sartor"])
        .output()
        .map_err(|error| missing(format!("cannot be executed: {error}")))?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if !output.status.success() || path.is_empty() {
        return Err(missing("knows no sartor".to_string()));
    }
    Ok(Path::new(&path).canonicalize().unwrap_or_else(|_| PathBuf::from(path)))
}
