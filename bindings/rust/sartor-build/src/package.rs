// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The package in which a file with handlers is compiled: cargo then knows its dependencies, and when it has
//! changed.

use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::handlers::{read, unwritten, variable, Handlers};
use crate::json::Value;
use crate::profile::Profile;
use crate::report::Report;
use crate::Mistake;

pub(crate) struct Package<'a> {
    pub handlers: &'a Handlers,
    pub root: &'a Path,
    /// Directory of the package that has the file.
    pub package: &'a Path,
    /// Manifest of the workspace; the lock file is next to it.
    pub workspace: &'a Path,
    pub profile: &'a Profile,
    pub report: &'a Report,
}

/// Name of the wrapper's list of directories.
pub(crate) const DEPENDENCIES: &str = "dependencies";
/// Name of its list of environment variables.
pub(crate) const VARIABLES: &str = "variables";

/// Location of the files that cargo makes of the package.
pub(crate) struct Crates {
    name: String,
    out: PathBuf,
    target: String,
    profile: String,
}

impl Package<'_> {
    pub fn write(&self, out: &Path) -> Result<Crates, Mistake> {
        fs::create_dir_all(out).map_err(|error| unwritten(out, "made", &error))?;
        let manifest = self.manifest()?;
        let path = out.join("Cargo.toml");
        // Written only if it has changed, so that nothing is compiled again without need.
        if fs::read_to_string(&path).ok().as_ref() != Some(&manifest) {
            fs::write(&path, manifest).map_err(|error| unwritten(&path, "written", &error))?;
        }
        take_lock(&self.workspace.with_file_name("Cargo.lock"), out)?;
        Ok(Crates {
            name: self.handlers.crate_name().to_string(),
            out: out.to_path_buf(),
            target: variable("TARGET")?,
            profile: self.profile.directory().to_string(),
        })
    }

    /// The package has its own name, to which a profile may refer. The fingerprint is a feature, so that
    /// cargo compiles the crate again if it changes.
    fn manifest(&self) -> Result<String, Mistake> {
        let handlers = self.handlers;
        let report = self.report.fingerprint();
        let mut text = format!(
            "{}[package]\nname = {:?}\nversion = {:?}\nedition = {:?}\n\n\
             [features]\ndefault = [\"told-{}\"]\ntold-{} = []\n\n\
             [lib]\nname = {:?}\npath = {:?}\ntest = false\ndoctest = false\n\n\
             [workspace]\n\n[dependencies]\nsartor = {{ {}, default-features = false }}\n",
            self.profile.keys(),
            variable("CARGO_PKG_NAME")?,
            variable("CARGO_PKG_VERSION")?,
            match handlers.edition_name() {
                Some(edition) => edition.to_string(),
                None => edition_of(self.package)?,
            },
            report,
            report,
            handlers.crate_name(),
            self.root,
            self.sartor(),
        );
        for (name, what) in handlers.dependency_list() {
            text += &format!("{name} = {}\n", placed(what, self.package));
        }
        Ok(text + "\n" + self.profile.tables())
    }

    /// Source of the crate `sartor`: next to this crate in the source tree, or the same version.
    fn sartor(&self) -> String {
        let neighbour = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("sartor");
        if neighbour.join("Cargo.toml").is_file() {
            format!("path = {neighbour:?}")
        } else {
            format!("version = \"={}\"", env!("CARGO_PKG_VERSION"))
        }
    }
}

/// Uses the versions in the program's lock file, as far as it has the same crates, and again when it has changed.
fn take_lock(known: &Path, out: &Path) -> Result<(), Mistake> {
    let Ok(text) = fs::read(known) else { return Ok(()) };
    // Cargo changes the lock file, so what was taken is remembered.
    let (lock, taken) = (out.join("Cargo.lock"), out.join("taken.lock"));
    if lock.exists() && fs::read(&taken).ok().as_ref() == Some(&text) {
        return Ok(());
    }
    for file in [&lock, &taken] {
        fs::write(file, &text).map_err(|error| unwritten(file, "written", &error))?;
    }
    Ok(())
}

impl Crates {
    fn made(&self) -> PathBuf {
        self.out.join("target").join(&self.target).join(&self.profile)
    }
    /// Directories in which rustc found the dependencies.
    pub fn dependencies(&self) -> Result<Vec<PathBuf>, Mistake> {
        Ok(read(&self.out.join(DEPENDENCIES))?.lines().map(PathBuf::from).collect())
    }

    /// Environment variables that the handlers read, by `env!` and `option_env!`.
    pub fn variables(&self) -> Result<Vec<String>, Mistake> {
        Ok(read(&self.out.join(VARIABLES))?.lines().map(str::to_string).collect())
    }

    /// Copies the library to a directory of its own, so that no library of the same name from an earlier
    /// build is found.
    pub fn take_library(&self) -> Result<PathBuf, Mistake> {
        let directory = self.out.join("library");
        fs::create_dir_all(&directory).map_err(|error| unwritten(&directory, "made", &error))?;
        let file = format!("lib{}.rlib", self.name);
        let copy = directory.join(&file);
        fs::copy(self.made().join(&file), &copy).map_err(|error| unwritten(&copy, "written", &error))?;
        Ok(directory)
    }

    /// The source files of the crate, as cargo lists them.
    pub fn files_read(&self) -> Result<Vec<PathBuf>, Mistake> {
        let list = read(&self.made().join(format!("lib{}.d", self.name)))?;
        Ok(files_in(&list))
    }
}

/// The edition in the package's manifest, or in its workspace's.
fn edition_of(package: &Path) -> Result<String, Mistake> {
    let manifest = package.join("Cargo.toml");
    let output = Command::new(variable("CARGO")?)
        .args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"])
        .arg(&manifest)
        .output()
        .map_err(|error| Mistake::new("cargo", format!("cannot be executed: {error}"), "build by cargo"))?;
    let report = Value::read(&String::from_utf8_lossy(&output.stdout)).unwrap_or(Value::Null);
    let packages = report.get("packages").map_or(&[][..], Value::elements);
    let text = |of: &Value, name| of.get(name).and_then(Value::text).map(str::to_string);
    packages
        .iter()
        .find(|of| text(of, "manifest_path").is_some_and(|path| Path::new(&path) == manifest))
        .and_then(|of| text(of, "edition"))
        .ok_or_else(|| {
            Mistake::new(
                manifest.display(),
                format!(
                    "has no edition that cargo tells: {}",
                    String::from_utf8_lossy(&output.stderr).trim()
                ),
                "name one: sartor_build::Handlers::new(file).edition(\"2021\").compile()",
            )
        })
}

/// Converts a relative path, which refers to the package's directory.
fn placed(what: &str, package: &Path) -> String {
    if !what.trim_start().starts_with('{') {
        return format!("{what:?}");
    }
    match path_in(what) {
        Some(path) => {
            format!(
                "{}{:?}{}",
                &what[..path.start - 1],
                package.join(&what[path.clone()]),
                &what[path.end + 1..]
            )
        }
        None => what.to_string(),
    }
}

/// Location of the value of the key `path` in an inline table, without its quotes.
fn path_in(table: &str) -> Option<Range<usize>> {
    let mut key = "";
    let mut begin = 0; // of a key or of a string
    let mut quote = None;
    for (at, letter) in table.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => (begin, quote) = (at + 1, Some(letter)),
            (None, '{' | ',') => (begin, key) = (at + 1, ""),
            (None, '=') => key = table[begin..at].trim().trim_matches(['"', '\'']),
            (Some(end), _) if end == letter => {
                if key == "path" {
                    return Some(begin..at);
                }
                begin = if key.is_empty() { begin - 1 } else { begin };
                quote = None;
            }
            _ => {}
        }
    }
    None
}

/// Files named behind the colon in a dependency file.
fn files_in(list: &str) -> Vec<PathBuf> {
    let files = list.split_once(": ").map_or("", |(_, files)| files);
    let mut found = vec![String::new()];
    let mut letters = files.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => found.last_mut().expect("there is one").extend(letters.next()),
            ' ' | '\n' => found.push(String::new()),
            other => found.last_mut().expect("there is one").push(other),
        }
    }
    found.into_iter().filter(|path| !path.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_lie_where_the_package_says() {
        let package = Path::new("/at/home");
        assert_eq!(placed("1.2", package), "\"1.2\"");
        assert_eq!(placed("{ version = \"1\" }", package), "{ version = \"1\" }");
        assert_eq!(
            placed("{ path = \"../table\", features = [\"x\"] }", package),
            "{ path = \"/at/home/../table\", features = [\"x\"] }"
        );
        assert_eq!(placed("{ path = '../table' }", package), "{ path = \"/at/home/../table\" }");
        assert_eq!(placed("{ \"path\" = \"table\" }", package), "{ \"path\" = \"/at/home/table\" }");
        for other in [
            "{ version = \"1\", features = [\"path\", \"x\"] }",
            "{ package = \"path-clean\", version = \"1\" }",
            "{ git = \"https://example.org/path\", tag = \"a=b\" }",
        ] {
            assert_eq!(placed(other, package), other);
        }
        assert_eq!(
            placed("{ package = \"path-table\", path = \"table\" }", package),
            "{ package = \"path-table\", path = \"/at/home/table\" }"
        );
    }

    #[test]
    fn the_program_s_lock_file_is_taken_when_it_has_changed() {
        let out = env::temp_dir().join(format!("sartor-build-{}", std::process::id()));
        fs::create_dir_all(&out).unwrap();
        let (known, lock) = (out.join("known"), out.join("Cargo.lock"));
        let after = |program: &str, handlers: Option<&str>| {
            fs::write(&known, program).unwrap();
            if let Some(handlers) = handlers {
                fs::write(&lock, handlers).unwrap();
            }
            take_lock(&known, &out).unwrap();
            fs::read_to_string(&lock).unwrap()
        };
        assert_eq!(after("1", None), "1");
        assert_eq!(after("1", Some("1, changed by cargo")), "1, changed by cargo");
        assert_eq!(after("2", None), "2");
        fs::remove_file(&known).unwrap();
        take_lock(&known, &out).unwrap();
        assert_eq!(fs::read_to_string(&lock).unwrap(), "2");
        fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn files_with_blanks_are_one_file() {
        let files = files_in("/out/lib.rlib: /a/b.rs /a/with\\ blank.rs\n");
        assert_eq!(files, [Path::new("/a/b.rs"), Path::new("/a/with blank.rs")]);
        assert!(files_in("").is_empty());
    }
}
