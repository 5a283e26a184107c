// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The profile that cargo builds the program with. Cargo passes little of it to a build script, so the
//! handlers' package has the same profiles: those of the workspace's manifest, with the settings of
//! configuration files, variables and the command line.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::handlers::{read, variable};
use crate::Mistake;

/// The cargo process that called this script.
#[derive(Default)]
pub(crate) struct Caller {
    directory: Option<PathBuf>,
    manifest: Option<PathBuf>,
    /// Options of its command line: settings, and whether registries may be accessed.
    settings: Vec<OsString>,
    /// True if the package is outside of the workspace that cargo was called in.
    installs: bool,
}

impl Caller {
    /// Empty if the caller is not cargo.
    pub fn find() -> Caller {
        let process = PathBuf::from(format!("/proc/{}", parent_id()));
        let program = fs::read_link(process.join("exe")).ok();
        let cargo = env::var_os("CARGO").and_then(|path| fs::canonicalize(path).ok());
        if program.is_none() || program != cargo {
            return Caller::default();
        }
        let words = fs::read(process.join("cmdline")).unwrap_or_default();
        let words = words.split(|&byte| byte == 0).map(|word| OsString::from_vec(word.to_vec()));
        let mut caller = Caller::of_words(words);
        caller.directory = fs::read_link(process.join("cwd")).ok();
        caller
    }

    fn of_words(words: impl Iterator<Item = OsString>) -> Caller {
        let mut caller = Caller::default();
        let mut words = words.take_while(|word| word != "--");
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (option, value) = match text.split_once('=') {
                Some((option, value)) => (option, Some(OsString::from(value))),
                None => (&*text, None),
            };
            match option {
                "--config" => {
                    let value = value.or_else(|| words.next());
                    caller.settings.extend(value.into_iter().flat_map(|value| ["--config".into(), value]));
                }
                "--manifest-path" => caller.manifest = value.or_else(|| words.next()).map(PathBuf::from),
                "install" => caller.installs = true,
                "--offline" | "--frozen" => caller.settings.push("--offline".into()),
                _ => {}
            }
        }
        caller
    }

    /// The directory in which cargo begins to look for configuration files.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
    pub fn settings(&self) -> &[OsString] {
        &self.settings
    }

    /// The manifest with the profiles; the lock file is next to it.
    pub fn workspace(&self, package: &Path) -> Result<PathBuf, Mistake> {
        let ask = |directory: &Path, manifest: Option<&Path>| -> Option<PathBuf> {
            let mut cargo = Command::new(env::var_os("CARGO")?);
            cargo.args(["locate-project", "--workspace", "--message-format=plain"]).current_dir(directory);
            if let Some(manifest) = manifest {
                cargo.arg("--manifest-path").arg(manifest);
            }
            let output = cargo.output().ok().filter(|output| output.status.success())?;
            Some(PathBuf::from(OsStr::new(String::from_utf8(output.stdout).ok()?.trim())))
        };
        // Cargo ignores the profiles of dependencies.
        let called = self.directory().filter(|_| !self.installs);
        let called = called.and_then(|directory| ask(directory, self.manifest.as_deref()));
        called.or_else(|| ask(package, None)).ok_or_else(|| {
            Mistake::new(
                package.join("Cargo.toml").display(),
                "is not what `cargo locate-project` finds",
                "build by cargo",
            )
        })
    }

    /// The configuration files that exist.
    pub fn files(&self, package: &Path) -> Vec<PathBuf> {
        let from = self.directory().unwrap_or(package);
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        from.ancestors()
            .map(|at| at.join(".cargo"))
            .chain(home)
            .flat_map(|at| [at.join("config.toml"), at.join("config")])
            .filter(|file| file.is_file())
            .collect()
    }
}

pub(crate) struct Profile {
    pub name: String,
    /// The text before the first table, and the tables.
    keys: String,
    tables: String,
}

impl Profile {
    pub fn find(workspace: &Path) -> Result<Profile, Mistake> {
        let (out, package) = (variable("OUT_DIR")?, variable("CARGO_PKG_NAME")?);
        let directory = directory_of(Path::new(&out), &package).ok_or_else(|| {
            Mistake::new(
                &out,
                "does not say which profile this is",
                "build with a cargo that is known: 1.95 or 1.96",
            )
        })?;
        let name = if directory == "debug" { "dev".to_string() } else { directory };
        let (keys, tables) = said_of_profiles(&read(workspace)?, &package);
        Ok(Profile { name, keys, tables })
    }

    pub fn keys(&self) -> &str {
        &self.keys
    }
    pub fn tables(&self) -> &str {
        &self.tables
    }

    /// The directory of its artifacts.
    pub fn directory(&self) -> &str {
        if self.name == "dev" {
            "debug"
        } else {
            &self.name
        }
    }

    /// Settings that differ for handlers. `panic` is the program's alone, whose tests unwind in any case;
    /// so is link-time optimization.
    pub fn overridden(&self) -> Vec<String> {
        let checks = env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some();
        [
            "panic=\"unwind\"".to_string(),
            "lto=false".to_string(),
            "incremental=false".to_string(),
            format!("debug-assertions={checks}"),
        ]
        .map(|setting| format!("profile.{}.{setting}", self.name))
        .to_vec()
    }

    /// Environment variables that may change a profile, and that cargo does not track for this script.
    pub fn variables(&self) -> Vec<String> {
        let name = self.name.to_uppercase().replace('-', "_");
        ["OVERFLOW_CHECKS", "DEBUG_ASSERTIONS", "DEBUG", "INHERITS"]
            .map(|setting| format!("CARGO_PROFILE_{name}_{setting}"))
            .to_vec()
    }
}

/// `[…]/PROFILE/build/PACKAGE-HASH/out`, or `[…]/PROFILE/build/PACKAGE/HASH/out`.
fn directory_of(out: &Path, package: &str) -> Option<String> {
    let names: Vec<&str> = out.iter().map(|name| name.to_str().unwrap_or("")).collect();
    let before = |at: usize| names.len().checked_sub(at).map(|at| names[at]);
    let at = match (before(2)?.strip_prefix(package), before(3)?, before(4)?) {
        (Some(hash), "build", profile) if hash.starts_with('-') => profile,
        (_, name, "build") if name == package => before(5)?,
        _ => return None,
    };
    Some(at.to_string())
}

/// The profiles of a manifest, without overrides for packages other than this one.
fn said_of_profiles(manifest: &str, package: &str) -> (String, String) {
    let (mut keys, mut tables) = (String::new(), String::new());
    let mut is_first = true;
    let mut is_taken = false;
    for line in manifest.lines() {
        let text = line.trim_start();
        if text.starts_with('[') {
            is_first = false;
            let path: Vec<&str> = text
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or("")
                .splitn(4, '.')
                .map(|word| word.trim().trim_matches(['"', '\'']))
                .collect();
            is_taken = path[0] == "profile" && path.get(2).is_none_or(|&kind| kind != "build-override");
            if path.get(2) == Some(&"package") {
                let named = path.get(3).map_or("", |spec| spec.split(['@', ':']).next().unwrap_or(""));
                is_taken = is_taken && (named == package || named == "*");
            }
        }
        if is_first && text.starts_with("profile") {
            keys += line;
            keys.push('\n');
        } else if is_taken {
            tables += line;
            tables.push('\n');
        }
    }
    (keys, tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_says_which_profile() {
        let of = |out| directory_of(Path::new(out), "app");
        assert_eq!(of("/t/debug/build/app-0123/out").as_deref(), Some("debug"));
        assert_eq!(of("/t/x86_64-unknown-linux-gnu/mine/build/app/0123/out").as_deref(), Some("mine"));
        assert_eq!(of("/build/app/release/build/app-0123/out").as_deref(), Some("release"));
        assert_eq!(of("/elsewhere"), None);
        assert_eq!(directory_of(Path::new("/t/mine/build/build/0123/out"), "build").as_deref(), Some("mine"));
    }

    #[test]
    fn profiles_are_taken_along() {
        let manifest = "profile.dev.debug = 1\n[package]\nname = \"app\"\n[profile.release]\noverflow-checks = true\n\
                        [ profile . release . package . app ]\ndebug = true\n[profile.dev.package.\"other@1\"]\n\
                        debug = false\n[profile.dev.build-override]\ndebug = 0\n[dependencies]\nprofile = \"1\"\n";
        let (keys, tables) = said_of_profiles(manifest, "app");
        assert_eq!(keys, "profile.dev.debug = 1\n");
        assert_eq!(
            tables,
            "[profile.release]\noverflow-checks = true\n[ profile . release . package . app ]\ndebug = true\n"
        );
    }

    #[test]
    fn a_command_is_read_up_to_what_is_the_programs() {
        let words = ["cargo", "run", "--config", "a=1", "--config=b=2", "--frozen", "--", "--config", "c=3"];
        let caller = Caller::of_words(words.iter().map(OsString::from));
        assert_eq!(caller.settings(), ["--config", "a=1", "--config", "b=2", "--offline"]);
    }
}
