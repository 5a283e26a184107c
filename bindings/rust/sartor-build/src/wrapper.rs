// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stands in for rustc: cargo calls the build script with the command for each crate. For the handlers' own
//! crate, rustc outputs bitcode, from which clang and the plugin make the object that replaces rustc's in the
//! library.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler;
use crate::handlers::{read, unwritten};
use crate::package::{DEPENDENCIES, VARIABLES};
use crate::report::{Report, CLIPPY};
use crate::Mistake;

const CRATE: &str = "SARTOR_BUILD_CRATE";
const PLUGIN: &str = "SARTOR_BUILD_PLUGIN";
const TARGET: &str = "SARTOR_BUILD_TARGET";
/// Macros check that it is set: only the plugin understands their expansion.
const HANDLERS: &str = "SARTOR_HANDLERS";
const OUT: &str = "SARTOR_BUILD_OUT";

/// Passes the wrapper's settings to the processes that cargo calls.
pub(crate) fn report(cargo: &mut Command, name: &str, plugin: &Path, target: &str, out: &Path) {
    cargo.env(CRATE, name).env(PLUGIN, plugin).env(TARGET, target).env(HANDLERS, "1").env(OUT, out);
}

/// Runs before the build script's own `main`, which may print anything before it reaches its handlers.
#[used]
#[link_section = ".init_array"]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    if let Some(status) = as_wrapper() {
        std::process::exit(status);
    }
}

/// Referenced by scripts with handlers, so that it is linked.
pub(crate) fn is_there() -> bool {
    std::hint::black_box(&BEFORE_MAIN) as *const _ as usize != 0
}

/// Exit status of the wrapper, or nothing if this process is not called as one.
fn as_wrapper() -> Option<i32> {
    let (name, plugin) = (env::var(CRATE).ok()?, PathBuf::from(env::var_os(PLUGIN)?));
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let (rustc, words) = words.split_first()?;
    match compile(rustc, words, &name, &plugin) {
        Ok(status) => Some(status),
        Err(mistake) => {
            eprintln!("error: {mistake}");
            Some(1)
        }
    }
}

fn compile(rustc: &OsString, words: &[OsString], name: &str, plugin: &Path) -> Result<i32, Mistake> {
    let given = Given::read(words);
    let mut command = Command::new(rustc);
    if !given.makes_library {
        command.args(words).args(apart(&given));
        return run(&mut command);
    }
    let words = optimised(words);
    if given.name != name {
        // The program may have another crate of this name and version.
        command.args(words).args(apart(&given));
        return run(&mut command);
    }
    let bitcode = given.directory.join(format!("{name}{}.bc", given.suffix));
    for word in &words {
        match word.to_str().and_then(|text| text.strip_prefix("--emit=")) {
            Some(kinds) => command.arg(format!("--emit={kinds},llvm-bc={}", bitcode.display())),
            None => command.arg(word),
        };
    }
    let report = Report::find();
    if env::var_os(CLIPPY).is_some() {
        // clippy-driver takes the path of rustc, and compiles as rustc does.
        let mut checked = Command::new(Path::new(rustc).with_file_name("clippy-driver"));
        checked.arg(rustc).args(command.get_args());
        command = checked;
    }
    command.args(&report.options).envs(report.variables);
    // One file for the whole crate, because it has not been optimized yet.
    command.args(apart(&given)).args(["-Ccodegen-units=1", "-Cno-prepopulate-passes"]);
    let status = run(&mut command)?;
    if status != 0 || !given.makes_code {
        return Ok(status);
    }
    write_dependencies(&given)?;
    Object { given: &given, bitcode: &bitcode, plugin }.make()
}

/// Options that do not depend on the profile: variants are optimized when they are compiled, and cargo does
/// not know here whether the program has link-time optimization.
fn optimised(words: &[OsString]) -> Vec<OsString> {
    let says = |start: &str| {
        words.iter().filter_map(|word| word.to_str()).find_map(|word| {
            word.strip_prefix("-C").unwrap_or(word).trim_start().strip_prefix(start).map(str::to_string)
        })
    };
    let is_checked = says("opt-level=").is_none_or(|level| level == "0");
    let mut words: Vec<OsString> = words
        .iter()
        .map(|word| match word.to_str() {
            Some("embed-bitcode=no") => "embed-bitcode=yes".into(),
            Some(text) if text.starts_with("opt-level=") => "opt-level=3".into(),
            Some(text) if text.starts_with("split-debuginfo=") => "split-debuginfo=off".into(),
            _ => word.clone(),
        })
        .collect();
    if says("opt-level=").is_none() {
        words.push("-Copt-level=3".into());
    }
    // rustc's own default depends on the level.
    if is_checked && says("debug-assertions=").is_none() {
        words.push("-Cdebug-assertions=on".into());
    }
    words
}

/// Writes the search paths on which the program's rustc finds the dependencies of the crate, and its macros; and
/// the names of the environment variables that the crate reads.
fn write_dependencies(given: &Given) -> Result<(), Mistake> {
    let Some(out) = env::var_os(OUT) else { return Ok(()) };
    let list = given.directory.join(format!("{}{}.d", given.name, given.suffix));
    let variables = variables_in(&read(&list)?);
    for (name, lines) in [(DEPENDENCIES, &given.searched), (VARIABLES, &variables)] {
        let file = Path::new(&out).join(name);
        fs::write(&file, lines.join("\n")).map_err(|error| unwritten(&file, "written", &error))?;
    }
    Ok(())
}

/// Environment variables named in a dependency file of rustc, without those that cargo and this crate set.
fn variables_in(list: &str) -> Vec<String> {
    list.lines()
        .filter_map(|line| line.strip_prefix("# env-dep:"))
        .map(|variable| variable.split_once('=').map_or(variable, |(name, _)| name).to_string())
        .filter(|name| !name.starts_with("CARGO_") && name != "OUT_DIR" && name != HANDLERS)
        .collect()
}

/// The object that replaces rustc's.
struct Object<'a> {
    given: &'a Given,
    bitcode: &'a Path,
    plugin: &'a Path,
}

impl Object<'_> {
    fn make(&self) -> Result<i32, Mistake> {
        let (halves, report, object) =
            (self.file("halves.bc"), self.file("told.bc"), self.file("sartor.rcgu.o"));
        // rustc's name of the target, because clang has another name for the same one.
        let target = format!("--target={}", env::var(TARGET).unwrap_or_default());
        let clang = |words: &[&str], input: &Path, output: &Path| {
            run(Command::new(compiler::clang())
                .args(["-x", "ir", "-c", "-O3", "-fPIC", "-Wno-override-module", &target])
                .args(words)
                .arg(input)
                .arg("-o")
                .arg(output))
        };
        let plugin = format!("-fpass-plugin={}", self.plugin.display());
        // With link-time optimization of the program, rustc takes the bitcode of objects, with a summary,
        // from a section of theirs.
        let section = format!(".llvmbc={}", report.display());
        let as_it_is = ["-Xclang", "-disable-llvm-passes", "-ffunction-sections", "-fdata-sections"];
        let steps: [&dyn Fn() -> Result<i32, Mistake>; 4] = [
            &|| clang(&["-emit-llvm", &plugin], self.bitcode, &halves),
            &|| {
                run(compiler::tool("opt")
                    .args(["-passes=name-anon-globals", "-module-summary", "-o"])
                    .args([&report, &halves]))
            },
            &|| clang(&as_it_is, &halves, &object),
            &|| run(compiler::tool("llvm-objcopy").args(["--add-section", &section]).arg(&object)),
        ];
        for step in steps {
            let status = step()?;
            if status != 0 {
                return Ok(status);
            }
        }
        let library = format!("lib{}{}.rlib", self.given.name, self.given.suffix);
        put_into(&self.given.directory.join(library), &object)?;
        Ok(0)
    }

    fn file(&self, kind: &str) -> PathBuf {
        self.given.directory.join(format!("{}{}.{kind}", self.given.name, self.given.suffix))
    }
}

fn apart(given: &Given) -> Option<&'static str> {
    (!given.name.is_empty() && given.name != "___").then_some("-Cmetadata=sartor-handlers")
}

/// The relevant arguments of rustc's command.
#[derive(Default)]
struct Given {
    name: String,
    directory: PathBuf,
    suffix: String,
    /// Directories of the crates that it depends on.
    searched: Vec<String>,
    makes_library: bool,
    makes_code: bool,
}

impl Given {
    fn read(words: &[OsString]) -> Given {
        let texts: Vec<&str> = words.iter().map(|word| word.to_str().unwrap_or("")).collect();
        let behind = |option: &str| {
            texts.iter().position(|text| *text == option).and_then(|at| texts.get(at + 1)).copied()
        };
        let suffix = texts.iter().find_map(|text| {
            text.strip_prefix("extra-filename=").or_else(|| text.strip_prefix("-Cextra-filename="))
        });
        Given {
            name: behind("--crate-name").unwrap_or("").to_string(),
            directory: behind("--out-dir").unwrap_or(".").into(),
            suffix: suffix.unwrap_or("").to_string(),
            searched: texts
                .iter()
                .filter_map(|text| text.strip_prefix("dependency="))
                .map(str::to_string)
                .collect(),
            makes_library: behind("--crate-type") == Some("lib"),
            makes_code: texts.iter().any(|text| {
                text.strip_prefix("--emit=").is_some_and(|kinds| kinds.split(',').any(|kind| kind == "link"))
            }),
        }
    }
}

fn run(command: &mut Command) -> Result<i32, Mistake> {
    match command.status() {
        Ok(status) => Ok(status.code().unwrap_or(1)),
        Err(error) => Err(Mistake::new(
            Path::new(command.get_program()).display(),
            format!("cannot be executed: {error}"),
            "install it",
        )),
    }
}

/// Replaces rustc's object in the library.
fn put_into(library: &Path, object: &Path) -> Result<(), Mistake> {
    let said = |error: &dyn std::fmt::Display| {
        Mistake::new(library.display(), format!("cannot be changed: {error}"), "build again")
    };
    let ar = |words: &[&std::ffi::OsStr]| -> Result<String, Mistake> {
        let output = compiler::tool("llvm-ar").args(words).output().map_err(|error| said(&error))?;
        if !output.status.success() {
            return Err(said(&String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Cargo may have made a hard link to the file.
    let copy = library.with_extension("sartor.rlib");
    fs::copy(library, &copy).map_err(|error| said(&error))?;
    for member in ar(&["t".as_ref(), copy.as_os_str()])?.lines() {
        if member.ends_with(".rcgu.o") {
            ar(&["d".as_ref(), copy.as_os_str(), member.as_ref()])?;
        }
    }
    ar(&["rcs".as_ref(), copy.as_os_str(), object.as_os_str()])?;
    fs::rename(&copy, library).map_err(|error| said(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_handlers_read_are_known() {
        let list =
            "/out/e.d: e.rs\n\ne.rs:\n\n# env-dep:CARGO_PKG_NAME=z\n# env-dep:LANES=4=5\n# env-dep:UNSET\n\
                    # env-dep:OUT_DIR=/out\n# env-dep:SARTOR_HANDLERS=1\n";
        assert_eq!(variables_in(list), ["LANES", "UNSET"]);
    }
}
