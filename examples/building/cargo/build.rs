// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
use std::{env, process::Command};

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let mut archive = Command::new("ar");
    archive.args(["rcs", &format!("{out}/libcount.a")]);
    for name in ["filter", "tune"] {
        let (source, object) = (format!("program/{name}.c"), format!("{out}/{name}.o"));
        run(Command::new("sartor-cc").args(["-O2", "-fPIC", "-c", &source, "-o", &object]));
        println!("cargo:rerun-if-changed={source}");
        archive.arg(object);
    }
    run(&mut archive);
    let libraries = run(Command::new("pkg-config").args(["--variable=libdir", "sartor"]));
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=count");
    println!("cargo:rustc-link-search=native={libraries}");
    println!("cargo:rustc-link-lib=sartor");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{libraries}");
}
