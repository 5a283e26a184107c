// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks which rustc is used, and finds the clang that compiles both halves of its output.

use std::path::Path;
use std::process::Command;

use crate::Mistake;

pub(crate) const LLVM: u32 = 22;

/// Checks that rustc has the same LLVM version as clang, which reads its bitcode.
pub(crate) fn check_rustc(rustc: &Path) -> Result<(), Mistake> {
    let output = Command::new(rustc).arg("-vV").output().map_err(|error| {
        Mistake::new(rustc.display(), format!("cannot be executed: {error}"), "install rustc")
    })?;
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let field =
        |name: &str| report.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("").trim().to_string();
    let llvm = field("LLVM version:");
    let major: u32 = llvm.split('.').next().and_then(|word| word.parse().ok()).unwrap_or(0);
    if major == LLVM {
        return Ok(());
    }
    let release = field("release:");
    Err(Mistake::new(
        rustc.display(),
        format!(
            "is rustc {release} with LLVM {}; Sartor needs LLVM {LLVM}",
            if llvm.is_empty() { "of no version that it tells" } else { &llvm }
        ),
        format!(
            "use a rustc whose `rustc -vV` says LLVM {LLVM}: Debian's packages rustc-web and cargo-web, \
             or rustc 1.95; a newer one may be too new"
        ),
    ))
}

pub(crate) fn clang() -> String {
    format!("clang-{LLVM}")
}

/// One of LLVM's tools. (GNU ar would ask its linker plugins for the contents of an object with bitcode, and
/// those of another LLVM version do not report the symbols that programs are linked with.)
pub(crate) fn tool(name: &str) -> Command {
    Command::new(format!("{name}-{LLVM}"))
}

pub(crate) fn check_tools() -> Result<(), Mistake> {
    for name in ["llvm-ar", "llvm-objcopy", "opt"] {
        let answer = tool(name).arg("--version").output();
        if !answer.is_ok_and(|output| output.status.success()) {
            return Err(Mistake::new(
                format!("{name}-{LLVM}"),
                "is not installed",
                format!("apt-get install llvm-{LLVM}"),
            ));
        }
    }
    Ok(())
}

/// Output of `clang --version`.
pub(crate) fn clang_version() -> Result<String, Mistake> {
    let clang = clang();
    match Command::new(&clang).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        _ => Err(Mistake::new(&clang, "is not installed", format!("apt-get install {clang}"))),
    }
}
