// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors, and programs that continue without Sartor.

use std::process::Command;

use sartor::{bind, Configuration, ErrorCode, Runtime};
use sartor_tests::{handlers, with_std};

fn no_handler(value: u32) -> u32 {
    value
}

#[test]
fn an_error_says_what_where_and_what_to_do() {
    let runtime = Runtime::open().unwrap();
    let error = runtime.specialize(&Configuration::new().set("strid", 2)).unwrap_err();
    assert_eq!((error.code, error.subject.as_str()), (ErrorCode::UnknownLabel, "strid"));
    assert!(!error.message.is_empty(), "{error:?}");
    let error = runtime.specialize(&Configuration::new().set("stride", 3)).unwrap_err();
    assert_eq!(error.code, ErrorCode::ValueOutsideChoices, "{error}");
    let error = runtime.specialize(&Configuration::new().set("not_constant", 1)).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotConstant);
    assert!(error.to_string().contains("value + other"), "{error}");
    assert!(error.to_string().contains("handlers.rs"), "{error}");
}

#[test]
fn what_is_no_handler_is_none() {
    let runtime = Runtime::open().unwrap();
    let error = runtime.handler(no_handler as fn(u32) -> u32).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnknownHandler);
    assert!(error.remedy.contains("#[sartor::handler]"), "{error}");
    let value = 1;
    let error = bind!(runtime, || -> u32 { no_handler(value) }).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnknownHandler);
}

#[test]
fn texts_with_zero_bytes_are_refused() {
    let error = Runtime::open_with("\0").unwrap_err();
    assert_eq!(error.code, ErrorCode::BadArgument);
    assert_eq!(Runtime::open_with("[").unwrap_err().code, ErrorCode::BadJson);
}

/// Runs one test of this program again, in an environment of its own.
fn again(test: &str, name: &str, value: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(name, value)
        .output()
        .unwrap();
    let report =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && report.contains("1 passed"), "{report}");
    report
}

#[test]
fn without_sartor_the_program_runs_as_ever() {
    again("switched_off", "SARTOR", "off");
}

#[test]
#[ignore = "run by without_sartor_the_program_runs_as_ever"]
fn switched_off() {
    let runtime = Runtime::open().unwrap();
    let sum = runtime.handler(handlers::sum as fn(&[u32], usize) -> u64).unwrap();
    assert_eq!(sum(&[1, 2, 3], 2), 4);
    let _ = runtime.specialize(&Configuration::new().set("stride", 2));
    assert_eq!(sum(&[1, 2, 3], 2), 4);
    let values = [1u32, 2, 3].as_slice();
    let bound = bind!(runtime, |stride: usize| -> u64 { handlers::sum(values, stride) }).unwrap();
    assert_eq!((bound(1), bound(2)), (6, 4));
}

#[test]
fn code_with_points_in_another_crate_is_reported() {
    let report = again("in_this_crate", "SARTOR", "on");
    let line = report.lines().find(|line| line.contains("point_not_specializable")).expect(&report);
    assert!(line.contains("\"generic\": at ") && line.contains("with_std/lib.rs"), "{line}");
    assert_eq!(report.matches("point_not_specializable").count(), 1, "{report}");
}

#[test]
fn a_report_that_cannot_be_written_does_not_end_the_program() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "in_this_crate", "--ignored", "--nocapture"])
        .stderr(full)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && report.contains("1 passed"), "{}: {report}", output.status);
}

#[test]
#[ignore = "run by code_with_points_in_another_crate_is_reported"]
fn in_this_crate() {
    assert_eq!(with_std::twice(21u8) + with_std::twice(0u8), 42);
}
