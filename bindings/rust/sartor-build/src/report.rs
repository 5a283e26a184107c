// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Settings that cargo passes to rustc for this package, to be passed on for the handlers' crate: features,
//! variables of the package, and the output of its build script. That output is complete only when the
//! script has ended, so the script is run a second time, and its output is read.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::handlers::{unwritten, variable};
use crate::Mistake;

/// Set to OUT_DIR in the second run of the script. (The script may build other packages, too.)
const LISTENING: &str = "SARTOR_BUILD_LISTENING";
/// The file that the wrapper reads.
const FILE: &str = "SARTOR_BUILD_REPORT";
/// Makes clippy check handlers: `cargo clippy` does not run a build script again.
pub(crate) const CLIPPY: &str = "SARTOR_CLIPPY";

/// True if this is the second run, which compiles nothing.
pub(crate) fn is_listening() -> bool {
    env::var_os(LISTENING).is_some_and(|whose| env::var_os("OUT_DIR") == Some(whose))
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// Arguments for rustc.
    pub options: Vec<String>,
    pub variables: Vec<(String, String)>,
}

impl Report {
    /// The settings of the package whose build script this is.
    pub fn of_this_package() -> Result<Report, Mistake> {
        let mut report = Report::default();
        let features = env::var("CARGO_CFG_FEATURE").unwrap_or_default();
        for feature in features.split(',').filter(|feature| !feature.is_empty()) {
            report.add_cfg(&format!("feature={feature:?}"));
        }
        // rustc checks the names when it compiles the rest of the package.
        report.add_check("cfg(feature, values(any()))");
        for (name, value) in env::vars_os() {
            if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
                let is_of_package = name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
                if is_of_package || name == "OUT_DIR" || name == CLIPPY {
                    report.variables.push((name.to_string(), value.to_string()));
                }
            }
        }
        report.variables.sort();
        report.hear(what_the_script_says()?);
        Ok(report)
    }

    fn add_cfg(&mut self, cfg: &str) {
        self.options.extend(["--cfg".to_string(), cfg.to_string()]);
    }
    fn add_check(&mut self, check: &str) {
        self.options.extend(["--check-cfg".to_string(), check.to_string()]);
    }

    /// Reads the lines that a build script prints.
    fn hear(&mut self, output: &str) {
        for line in output.lines() {
            let Some(report) = line.strip_prefix("cargo::").or_else(|| line.strip_prefix("cargo:")) else {
                continue;
            };
            match report.split_once('=') {
                Some(("rustc-cfg", cfg)) => self.add_cfg(cfg.trim()),
                Some(("rustc-check-cfg", check)) => self.add_check(check.trim()),
                Some(("rustc-env", pair)) => {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    self.variables.push((name.trim().to_string(), value.trim_end().to_string()));
                }
                _ => {}
            }
        }
    }

    /// Differs between packages whose settings differ.
    pub fn fingerprint(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.written().hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    fn written(&self) -> String {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value}"));
        let options = self.options.iter().map(|option| format!("-{option}"));
        options.chain(variables).map(|line| line + "\0").collect()
    }
    fn read(text: &str) -> Report {
        let mut report = Report::default();
        for line in text.split_terminator('\0') {
            if let Some(option) = line.strip_prefix('-') {
                report.options.push(option.to_string());
            } else if let Some((name, value)) = line.split_once('=') {
                report.variables.push((name.to_string(), value.to_string()));
            }
        }
        report
    }

    /// Writes the file, and passes its path to the wrapper.
    pub fn write(&self, out: &Path, cargo: &mut Command) -> Result<(), Mistake> {
        let file = out.join("report");
        fs::write(&file, self.written()).map_err(|error| unwritten(&file, "written", &error))?;
        cargo.env(FILE, file);
        Ok(())
    }
    /// Reads the file, in the wrapper.
    pub fn find() -> Report {
        let file = env::var_os(FILE).map(PathBuf::from);
        Report::read(&file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default())
    }
}

/// Computed once for all calls of one script.
fn what_the_script_says() -> Result<&'static str, Mistake> {
    static SAID: OnceLock<String> = OnceLock::new();
    if let Some(said) = SAID.get() {
        return Ok(said);
    }
    let itself = env::current_exe().map_err(|error| {
        Mistake::new("the build script", format!("does not know where it is: {error}"), "run it by cargo")
    })?;
    let output = Command::new(&itself)
        .args(env::args_os().skip(1))
        .env(LISTENING, variable("OUT_DIR")?)
        .output()
        .map_err(|error| {
            Mistake::new(itself.display(), format!("cannot be executed: {error}"), "build again")
        })?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Mistake::new(
            "the build script",
            format!("fails when it is run a second time ({})", output.status),
            "have it work where it has been run before: sartor_build runs it once more, to know which \
             rustc-cfg and rustc-env it tells cargo; what it said is above",
        ));
    }
    Ok(SAID.get_or_init(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_script_reports_is_heard() {
        let mut report = Report::default();
        report.hear(
            "cargo::rustc-cfg=fast\ncargo:rustc-cfg=kind=\"a b\"\nother\ncargo::rustc-check-cfg=cfg(fast)\n\
             cargo:rustc-env=HASH=a=b c\ncargo:rustc-link-lib=z\n",
        );
        let options = ["--cfg", "fast", "--cfg", "kind=\"a b\"", "--check-cfg", "cfg(fast)"];
        assert_eq!(report.options, options);
        assert_eq!(report.variables, [("HASH".to_string(), "a=b c".to_string())]);
    }

    #[test]
    fn what_is_written_is_read() {
        let report = Report {
            options: vec!["--cfg".to_string(), "a=\"b\"".to_string()],
            variables: vec![("CARGO_PKG_DESCRIPTION".to_string(), "two\nlines=".to_string())],
        };
        assert_eq!(Report::read(&report.written()), report);
        assert_ne!(report.fingerprint(), Report::default().fingerprint());
    }
}
