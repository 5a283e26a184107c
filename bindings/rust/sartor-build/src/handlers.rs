// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compiles a file with handlers as a crate of its own, and links it with the package.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler;
use crate::package::Package;
use crate::profile::{Caller, Profile};
use crate::report::{self, Report};
use crate::sartor::Sartor;
use crate::wrapper;
use crate::{or_end, Mistake};

/// A file with handlers, and its settings.
#[derive(Clone, Debug)]
pub struct Handlers {
    file: PathBuf,
    name: String,
    edition: Option<String>,
    dependencies: Vec<(String, String)>,
}

impl Handlers {
    /// `file` is a file of the package: the root of a crate, with modules next to it if it has any. The
    /// package refers to it by `extern crate`, by the file's name.
    pub fn new(file: impl AsRef<Path>) -> Handlers {
        let file = file.as_ref().to_path_buf();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
        Handlers { file, name, edition: None, dependencies: Vec::new() }
    }
    /// Sets the name of the crate, if it is not that of the file.
    pub fn name(mut self, name: &str) -> Handlers {
        self.name = name.to_string();
        self
    }
    /// Sets the edition; the default is the package's.
    pub fn edition(mut self, edition: &str) -> Handlers {
        self.edition = Some(edition.to_string());
        self
    }
    /// Adds a crate that the handlers use: `what` is the text behind the name in `[dependencies]`, e.g.
    /// `"1.2"` or `{ path = "../table" }`. It is compiled for this crate alone: if others need items of it,
    /// this crate must re-export them (`pub use`).
    pub fn dependency(mut self, name: &str, what: &str) -> Handlers {
        self.dependencies.push((name.to_string(), what.to_string()));
        self
    }

    pub(crate) fn crate_name(&self) -> &str {
        &self.name
    }
    pub(crate) fn edition_name(&self) -> Option<&str> {
        self.edition.as_deref()
    }
    pub(crate) fn dependency_list(&self) -> &[(String, String)] {
        &self.dependencies
    }

    /// Compiles the crate and adds it to the package's search path. Ends the build script with an error if
    /// that fails.
    pub fn compile(self) {
        if !wrapper::is_there() || report::is_listening() {
            return;
        }
        or_end(self.compiled());
    }

    fn compiled(&self) -> Result<(), Mistake> {
        let package = Path::new(&variable("CARGO_MANIFEST_DIR")?).to_path_buf();
        let file = package.join(&self.file);
        println!("cargo:rerun-if-changed={}", file.display());
        println!("cargo:rerun-if-env-changed=SARTOR_CHECK_LOCALS");
        println!("cargo:rerun-if-env-changed={}", report::CLIPPY);
        if !file.is_file() {
            return Err(Mistake::new(
                self.file.display(),
                "is no file of this package",
                "name the crate's root",
            ));
        }
        let (target, host) = (variable("TARGET")?, variable("HOST")?);
        if target != host {
            return Err(Mistake::new(
                target,
                format!("is not this machine, {host}"),
                "build for it: handlers of programs for other machines can only be written in C and C++",
            ));
        }
        let sartor = Sartor::find()?;
        println!("cargo:rerun-if-changed={}", sartor.plugin.display());
        compiler::check_rustc(Path::new(&variable("RUSTC")?))?;
        compiler::check_tools()?;
        let out = PathBuf::from(variable("OUT_DIR")?).join(&self.name);
        forget_what_others_made(&out, &sartor.plugin)?;
        let caller = Caller::find();
        let workspace = caller.workspace(&package)?;
        for manifest in [&workspace, &package.join("Cargo.toml")] {
            println!("cargo:rerun-if-changed={}", manifest.display());
        }
        let lock = workspace.with_file_name("Cargo.lock");
        if lock.is_file() {
            println!("cargo:rerun-if-changed={}", lock.display());
        }
        for settings in caller.files(&package) {
            println!("cargo:rerun-if-changed={}", settings.display());
        }
        let profile = Profile::find(&workspace)?;
        for variable in profile.variables() {
            println!("cargo:rerun-if-env-changed={variable}");
        }
        let report = Report::of_this_package()?;
        let crates = Package {
            handlers: self,
            root: &file,
            package: &package,
            workspace: &workspace,
            profile: &profile,
            report: &report,
        }
        .write(&out)?;
        let mut cargo = self.cargo(&out, &caller, &profile)?;
        report.write(&out, &mut cargo)?;
        wrapper::report(&mut cargo, &self.name, &sartor.plugin, &variable("TARGET")?, &out);
        self.run(&mut cargo)?;
        for read in crates.files_read()? {
            println!("cargo:rerun-if-changed={}", read.display());
        }
        for variable in crates.variables()? {
            println!("cargo:rerun-if-env-changed={variable}");
        }
        let library = crates.take_library()?;
        println!("cargo:rustc-link-search=crate={}", library.display());
        for dependencies in crates.dependencies()? {
            println!("cargo:rustc-link-search=dependency={}", dependencies.display());
        }
        sartor.report_programs();
        Ok(())
    }

    /// Calls cargo with the settings of the calling cargo, but with its own target directory and rustc
    /// wrapper.
    fn cargo(&self, out: &Path, caller: &Caller, profile: &Profile) -> Result<Command, Mistake> {
        let itself = env::current_exe().map_err(|error| {
            Mistake::new("the build script", format!("does not know where it is: {error}"), "run it by cargo")
        })?;
        let target = out.join("target");
        let mut cargo = Command::new(variable("CARGO")?);
        cargo
            .args(["build", "--profile", &profile.name, "--manifest-path"])
            .arg(out.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .args(["--target", &variable("TARGET")?])
            .args(caller.settings())
            .arg("--config")
            .arg(format!("build.build-dir={:?}", target));
        for setting in profile.overridden() {
            cargo.args(["--config", &setting]);
        }
        if let Some(directory) = caller.directory() {
            cargo.current_dir(directory);
        }
        // Variables that describe this package do not describe the handlers' package. No other rustc wrapper
        // is used for it.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            let is_of_this = text.starts_with("CARGO_FEATURE_") || text.starts_with("CARGO_CFG_");
            if is_of_this
                || ["RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_TARGET", "TARGET", "HOST"].contains(&&*text)
            {
                cargo.env_remove(name);
            }
        }
        cargo.env("RUSTC_WRAPPER", itself);
        Ok(cargo)
    }

    fn run(&self, cargo: &mut Command) -> Result<(), Mistake> {
        let output = cargo.output().map_err(|error| {
            Mistake::new("cargo", format!("cannot be executed: {error}"), "build by cargo")
        })?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            // Cargo shows no other output of a build script.
            for line in warnings_in(&said) {
                println!("cargo:warning={line}");
            }
            return Ok(());
        }
        eprintln!("{said}");
        Err(Mistake::new(self.file.display(), "does not compile", "what is wrong is said above"))
    }
}

/// Warnings of rustc, which have a source location and end at an empty line.
fn warnings_in(said: &str) -> impl Iterator<Item = &str> {
    said.split("\n\n")
        .filter_map(|paragraph| {
            let at = if paragraph.starts_with("warning") { 0 } else { paragraph.find("\nwarning")? + 1 };
            Some(&paragraph[at..]).filter(|warning| warning.contains("--> "))
        })
        .flat_map(str::lines)
}

/// Removes earlier output if the plugin, clang or this program has changed: cargo does not track that they
/// contribute to it.
fn forget_what_others_made(out: &Path, plugin: &Path) -> Result<(), Mistake> {
    let mut makers = DefaultHasher::new();
    let itself = env::current_exe().unwrap_or_default();
    for file in [plugin, &itself] {
        fs::read(file).map_err(|error| unwritten(file, "read", &error))?.hash(&mut makers);
    }
    compiler::clang_version()?.hash(&mut makers);
    let makers = format!("{:016x}\n", makers.finish());
    let known = out.join("makers");
    if fs::read_to_string(&known).ok().as_ref() == Some(&makers) {
        return Ok(());
    }
    let target = out.join("target");
    if target.exists() {
        fs::remove_dir_all(&target).map_err(|error| unwritten(&target, "removed", &error))?;
    }
    fs::create_dir_all(out).map_err(|error| unwritten(out, "made", &error))?;
    fs::write(&known, makers).map_err(|error| unwritten(&known, "written", &error))
}

pub(crate) fn variable(name: &str) -> Result<String, Mistake> {
    env::var(name)
        .map_err(|_| Mistake::new(name, "is not in the environment", "call sartor_build in a build.rs"))
}

/// Reads a file that is not modified.
pub(crate) fn read(path: &Path) -> Result<String, Mistake> {
    fs::read_to_string(path).map_err(|error| unwritten(path, "read", &error))
}

pub(crate) fn unwritten(path: &Path, what: &str, error: &std::io::Error) -> Mistake {
    Mistake::new(path.display(), format!("cannot be {what}: {error}"), "clean, and build again")
}
