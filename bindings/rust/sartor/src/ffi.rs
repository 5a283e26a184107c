// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The declarations of sartor.h and explorer.h that this crate uses. A test compares sizes, offsets and
//! numbers with the headers' (tests/tests/interface.rs).
#![allow(missing_docs)]

use core::ffi::{c_char, c_double, c_int, c_longlong, c_void};

pub type Status = c_int;
pub const OK: Status = 0;
pub type Function = Option<unsafe extern "C" fn()>;

macro_rules! opaque {
    ($($name:ident),*) => {
        $(#[repr(C)] pub struct $name { _private: [u8; 0] })*
    };
}
opaque!(Runtime, Binding, Invariant, QuasiInvariant, Write, Explorer);

pub const ARGUMENT_UNBOUND: c_int = 0;
pub const ARGUMENT_INTEGER: c_int = 1;
pub const ARGUMENT_FLOATING: c_int = 2;
pub const ARGUMENT_POINTER: c_int = 3;
pub const ARGUMENT_OBJECT: c_int = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Object {
    pub address: *const c_void,
    pub bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union ArgumentValue {
    pub integer: c_longlong,
    pub floating: c_double,
    pub pointer: *const c_void,
    pub object: Object,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Argument {
    pub kind: c_int,
    pub value: ArgumentValue,
}

pub type Answer = Option<unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> c_int>;

#[repr(C)]
pub struct QuasiInvariantOptions {
    pub validate: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    pub refuse: Answer,
    pub reinforce: Answer,
    pub context: *mut c_void,
    pub deferred: c_int,
    pub back_off: c_double,
    pub longest_back_off: c_double,
    pub check_every: c_double,
    pub hold_callers: c_double,
    pub protect_pages: c_int,
}

pub const COUNTER: c_int = 0;
pub const GAUGE: c_int = 1;
pub const RATIO: c_int = 2;
pub const CALL: c_int = 3;

pub type Read = Option<unsafe extern "C" fn(*mut c_void) -> c_double>;

#[repr(C)]
pub struct Objective {
    pub kind: c_int,
    pub lower_is_better: c_int,
    pub read: Read,
    pub per: Read,
    pub cost: Read,
    pub user: *mut c_void,
    pub handler: *const c_char,
    pub name: *const c_char,
    pub unit: *const c_char,
    pub percent: c_double,
    pub histogram: *const c_void,
    pub bounds: *const c_double,
    pub bound_count: usize,
    pub counts: Option<unsafe extern "C" fn(*mut c_void, *mut u64)>,
    pub subject_to: *const c_void,
    pub subject_to_count: usize,
    pub weighted: *const c_void,
    pub weighted_count: usize,
}

extern "C" {
    pub fn sartor_version() -> *const c_char;
    pub fn sartor_open_modules_with(
        begin: *const c_void,
        end: *const c_void,
        options: *const c_char,
        out: *mut *mut Runtime,
    ) -> Status;
    pub fn sartor_active(runtime: *const Runtime) -> c_int;
    pub fn sartor_statistics(runtime: *const Runtime, json: *mut *mut c_char) -> Status;
    pub fn sartor_close(runtime: *mut Runtime);
    pub fn sartor_handler(runtime: *mut Runtime, name: *const c_char, out: *mut Function) -> Status;
    pub fn sartor_specialize_with_report(
        runtime: *mut Runtime,
        configuration: *const c_char,
        json: *mut *mut c_char,
    ) -> Status;
    pub fn sartor_specialize_async(runtime: *mut Runtime, configuration: *const c_char) -> Status;

    pub fn sartor_bind(
        runtime: *mut Runtime,
        handler: *const c_char,
        arguments: *const Argument,
        count: usize,
        out: *mut *mut Binding,
    ) -> Status;
    pub fn sartor_binding_function(binding: *mut Binding, out: *mut Function) -> Status;
    pub fn sartor_binding_wait_with_report(binding: *mut Binding, json: *mut *mut c_char) -> Status;
    pub fn sartor_binding_ready(binding: *const Binding) -> c_int;
    pub fn sartor_release(binding: *mut Binding);

    pub fn sartor_invariant_add_part(
        object: *const c_void,
        object_size: usize,
        part: *const c_void,
        size: usize,
        invariant: *mut *mut Invariant,
    ) -> Status;
    pub fn sartor_invalidate(invariant: *mut Invariant) -> Status;
    pub fn sartor_invalidate_later(invariant: *mut Invariant) -> Status;
    pub fn sartor_tie(runtime: *mut Runtime, label: *const c_char, invariant: *const Invariant) -> Status;

    pub fn sartor_quasi_invariant_make(
        name: *const c_char,
        options: *const QuasiInvariantOptions,
        out: *mut *mut QuasiInvariant,
    ) -> Status;
    pub fn sartor_quasi_invariant_add_part(
        quasi_invariant: *mut QuasiInvariant,
        object: *const c_void,
        object_size: usize,
        part: *const c_void,
        size: usize,
    ) -> Status;
    pub fn sartor_quasi_invariant_valid(quasi_invariant: *const QuasiInvariant) -> c_int;
    pub fn sartor_quasi_invariant_wait(quasi_invariant: *const QuasiInvariant, seconds: c_double) -> c_int;
    pub fn sartor_begin_write(quasi_invariant: *mut QuasiInvariant) -> *mut Write;
    pub fn sartor_end_write(write: *mut Write);
    pub fn sartor_quasi_invariant_figures(
        quasi_invariant: *const QuasiInvariant,
        json: *mut *mut c_char,
    ) -> Status;
    pub fn sartor_quasi_invariant_free(quasi_invariant: *mut QuasiInvariant);

    pub fn sartor_constrain(runtime: *mut Runtime, constraints: *const c_char) -> Status;
    pub fn sartor_space(runtime: *mut Runtime, json: *mut *mut c_char) -> Status;
    pub fn sartor_instrument(runtime: *mut Runtime, every: *const c_char) -> Status;
    pub fn sartor_profile(runtime: *mut Runtime, json: *mut *mut c_char) -> Status;
    pub fn sartor_load_profile(runtime: *mut Runtime, json: *const c_char) -> Status;
    pub fn sartor_free(text: *mut c_char);
    pub fn sartor_last_error() -> *const c_char;

    pub fn sartor_explore(
        runtime: *mut Runtime,
        objective: *const Objective,
        options: *const c_char,
        strategy: *const c_void,
        decision: *mut *mut c_char,
    ) -> Status;
    pub fn sartor_explorer_start(
        runtime: *mut Runtime,
        objective: *const Objective,
        options: *const c_char,
        strategy: *const c_void,
        out: *mut *mut Explorer,
    ) -> Status;
    pub fn sartor_explorer_decision(explorer: *mut Explorer, decision: *mut *mut c_char) -> Status;
    pub fn sartor_explorer_stop(explorer: *mut Explorer) -> Status;
    pub fn sartor_explorer_free(explorer: *mut Explorer);
}
