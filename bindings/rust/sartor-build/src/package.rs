// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The package that a file with handlers is compiled as: cargo knows then what it depends on, and
//! when it has changed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::handlers::{read, unwritten, variable, Handlers};
use crate::Mistake;

pub(crate) struct Package<'a> {
    pub handlers: &'a Handlers,
    pub root: &'a Path,
    /// Whose file it is.
    pub package: &'a Path,
}

/// Where cargo puts what it makes of it.
pub(crate) struct Crates {
    name: String,
    out: PathBuf,
    target: String,
}

impl Package<'_> {
    pub fn write(&self, out: &Path) -> Result<Crates, Mistake> {
        fs::create_dir_all(out).map_err(|error| unwritten(out, "made", &error))?;
        let manifest = self.manifest();
        let path = out.join("Cargo.toml");
        // Written only if it is another one, so that nothing is compiled again for it.
        if fs::read_to_string(&path).ok().as_ref() != Some(&manifest) {
            fs::write(&path, manifest).map_err(|error| unwritten(&path, "written", &error))?;
        }
        // The versions that the program has been locked to, as far as it has the same crates.
        let lock = out.join("Cargo.lock");
        if !lock.exists() {
            if let Some(known) =
                self.package.ancestors().map(|at| at.join("Cargo.lock")).find(|at| at.is_file())
            {
                fs::copy(&known, &lock).map_err(|error| unwritten(&lock, "written", &error))?;
            }
        }
        Ok(Crates {
            name: self.handlers.crate_name().to_string(),
            out: out.to_path_buf(),
            target: variable("TARGET")?,
        })
    }

    fn manifest(&self) -> String {
        let handlers = self.handlers;
        let mut text = format!(
            "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"{}\"\n\n[lib]\npath = {:?}\n\n\
             [workspace]\n\n[dependencies]\nsartor = {{ {}, default-features = false }}\n",
            handlers.crate_name(),
            handlers.edition_name(),
            self.root,
            self.sartor(),
        );
        for (name, what) in handlers.dependency_list() {
            text += &format!("{name} = {}\n", placed(what, self.package));
        }
        // Optimised in any case: what a handler is made of is optimised when a variant is made, too.
        let is_debug = env::var("DEBUG").is_ok_and(|debug| debug != "false" && debug != "0");
        let checks = env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some();
        let panic = env::var("CARGO_CFG_PANIC").unwrap_or_else(|_| "unwind".to_string());
        text += &format!(
            "\n[profile.release]\nopt-level = 3\ndebug = {is_debug}\ndebug-assertions = {checks}\n\
             overflow-checks = {checks}\npanic = \"{panic}\"\nincremental = false\n"
        );
        text
    }

    /// From where this crate is: beside it in the source tree, or of the same version.
    fn sartor(&self) -> String {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("sartor");
        if beside.join("Cargo.toml").is_file() {
            format!("path = {beside:?}")
        } else {
            format!("version = \"={}\"", env!("CARGO_PKG_VERSION"))
        }
    }
}

impl Crates {
    fn made(&self) -> PathBuf {
        self.out.join("target").join(&self.target).join("release")
    }
    /// What it is compiled with, and the macros that this is.
    pub fn dependencies(&self) -> [PathBuf; 2] {
        [self.made().join("deps"), self.out.join("target/release/deps")]
    }

    /// The library alone, so that nobody finds what has been made before of the same name.
    pub fn take_library(&self) -> Result<PathBuf, Mistake> {
        let directory = self.out.join("library");
        fs::create_dir_all(&directory).map_err(|error| unwritten(&directory, "made", &error))?;
        let file = format!("lib{}.rlib", self.name);
        let copy = directory.join(&file);
        fs::copy(self.made().join(&file), &copy).map_err(|error| unwritten(&copy, "written", &error))?;
        Ok(directory)
    }

    /// What cargo has found that it is made of.
    pub fn files_read(&self) -> Result<Vec<PathBuf>, Mistake> {
        let list = read(&self.made().join(format!("lib{}.d", self.name)))?;
        Ok(files_in(&list))
    }
}

/// Paths are said from the package on.
fn placed(what: &str, package: &Path) -> String {
    if !what.trim_start().starts_with('{') {
        return format!("{what:?}");
    }
    let Some(at) = what.find("path") else { return what.to_string() };
    let mut pieces = what[at..].splitn(3, '"');
    match (pieces.next(), pieces.next(), pieces.next()) {
        (Some(before), Some(path), Some(behind)) => {
            format!("{}{before}{:?}{behind}", &what[..at], package.join(path))
        }
        _ => what.to_string(),
    }
}

/// What a file of dependencies names behind its colon.
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
    }

    #[test]
    fn files_with_blanks_are_one_file() {
        let files = files_in("/out/lib.rlib: /a/b.rs /a/with\\ blank.rs\n");
        assert_eq!(files, [Path::new("/a/b.rs"), Path::new("/a/with blank.rs")]);
        assert!(files_in("").is_empty());
    }
}
