// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compares this crate's declarations of the C interface with the headers.

use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

use sartor::ffi;

/// Pairs of values (in C, in Rust).
fn quasi_invariants() -> Vec<(String, String)> {
    let mut quasi_invariants = Vec::new();
    macro_rules! structures {
        ($($c:literal $of:ident { $($field:ident),* })*) => {
            $(quasi_invariants.push((format!("sizeof({})", $c), size_of::<ffi::$of>().to_string()));
            $(quasi_invariants.push((
                format!("offsetof({}, {})", $c, stringify!($field)),
                offset_of!(ffi::$of, $field).to_string(),
            ));)*)*
        };
    }
    structures! {
        "sartor_argument" Argument { kind, value }
        "sartor_quasi_invariant_options" QuasiInvariantOptions {
            validate, refuse, reinforce, context, deferred, back_off, longest_back_off, check_every,
            hold_callers, protect_pages
        }
        "sartor_objective" Objective {
            kind, lower_is_better, read, per, cost, user, handler, name, unit, percent, histogram, bounds,
            bound_count, counts, subject_to, subject_to_count, weighted, weighted_count
        }
    }
    macro_rules! numbers {
        ($($c:ident $rust:ident),* $(,)?) => {
            $(quasi_invariants.push((stringify!($c).to_string(), ffi::$rust.to_string()));)*
        };
    }
    numbers! {
        SARTOR_OK OK,
        SARTOR_ARGUMENT_UNBOUND ARGUMENT_UNBOUND,
        SARTOR_ARGUMENT_INTEGER ARGUMENT_INTEGER,
        SARTOR_ARGUMENT_FLOATING ARGUMENT_FLOATING,
        SARTOR_ARGUMENT_POINTER ARGUMENT_POINTER,
        SARTOR_ARGUMENT_OBJECT ARGUMENT_OBJECT,
        SARTOR_COUNTER COUNTER,
        SARTOR_GAUGE GAUGE,
        SARTOR_RATIO RATIO,
        SARTOR_CALL CALL,
    }
    quasi_invariants
}

/// Types of the functions, as in C.
const FUNCTIONS: &str = "
const char *sartor_version(void);
sartor_status sartor_open_modules_with(const struct sartor_module *, const struct sartor_module *,
                                       const char *, sartor_runtime **);
void sartor_close(sartor_runtime *);
sartor_status sartor_handler(sartor_runtime *, const char *, void (**)(void));
sartor_status sartor_specialize_with_report(sartor_runtime *, const char *, char **);
sartor_status sartor_specialize_async(sartor_runtime *, const char *);
sartor_status sartor_bind(sartor_runtime *, const char *, const sartor_argument *, size_t,
                          sartor_binding **);
sartor_status sartor_binding_function(sartor_binding *, void (**)(void));
sartor_status sartor_binding_wait(sartor_binding *);
void sartor_release(sartor_binding *);
sartor_status sartor_invariant_add_part(const void *, size_t, const void *, size_t, sartor_invariant **);
sartor_status sartor_invalidate(sartor_invariant *);
sartor_status sartor_invalidate_later(sartor_invariant *);
sartor_status sartor_tie(sartor_runtime *, const char *, const sartor_invariant *);
sartor_status sartor_quasi_invariant_make(const char *, const sartor_quasi_invariant_options *, sartor_quasi_invariant **);
sartor_status sartor_quasi_invariant_add_part(sartor_quasi_invariant *, const void *, size_t, const void *, size_t);
int sartor_quasi_invariant_valid(const sartor_quasi_invariant *);
int sartor_quasi_invariant_wait(const sartor_quasi_invariant *, double);
sartor_write *sartor_begin_write(sartor_quasi_invariant *);
void sartor_end_write(sartor_write *);
sartor_status sartor_quasi_invariant_figures(const sartor_quasi_invariant *, char **);
void sartor_quasi_invariant_free(sartor_quasi_invariant *);
sartor_status sartor_constrain(sartor_runtime *, const char *);
sartor_status sartor_space(sartor_runtime *, char **);
sartor_status sartor_instrument(sartor_runtime *, const char *);
sartor_status sartor_profile(sartor_runtime *, char **);
sartor_status sartor_load_profile(sartor_runtime *, const char *);
void sartor_free(char *);
const char *sartor_last_error(void);
sartor_status sartor_explore(sartor_runtime *, const sartor_objective *, const char *,
                             const sartor_strategy_functions *, char **);
sartor_status sartor_explorer_start(sartor_runtime *, const sartor_objective *, const char *,
                                    const sartor_strategy_functions *, sartor_explorer **);
sartor_status sartor_explorer_decision(sartor_explorer *, char **);
sartor_status sartor_explorer_stop(sartor_explorer *);
void sartor_explorer_free(sartor_explorer *);
";

#[test]
fn the_c_interface_is_as_this_crate_says() {
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let mut program =
        String::from("#include <stddef.h>\n#include <sartor/c/explorer.h>\n#include <sartor/c/sartor.h>\n");
    program += FUNCTIONS; // declared again: another type is an error
    for (c, rust) in quasi_invariants() {
        writeln!(program, "_Static_assert({c} == {rust}, {:?});", format!("{c} is not {rust}")).unwrap();
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interface.c");
    std::fs::write(&source, program).unwrap();
    let output = Command::new("clang-22")
        .args(["-fsyntax-only", "-Werror", "-I"])
        .args([&headers, &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn error_codes_are_those_of_the_header() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include/sartor/error.hpp");
    let header = std::fs::read_to_string(header).unwrap();
    let (_, list) = header.split_once("enum class ErrorCode").unwrap();
    let (list, _) = list.split_once("};").unwrap();
    let names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_once("///<"))
        .map(|(code, _)| code.trim().trim_end_matches(',').split(' ').next().unwrap())
        .filter(|name| !name.is_empty()) // a comment that goes on
        .collect();
    assert!(names.len() > 40);
    for (i, name) in names.iter().enumerate() {
        assert_eq!(sartor::ErrorCode::of(i as i32 + 1).name(), *name);
    }
    let next = names.len() as i32 + 1;
    assert_eq!(sartor::ErrorCode::of(next), sartor::ErrorCode::Internal, "one more in the header");
}
