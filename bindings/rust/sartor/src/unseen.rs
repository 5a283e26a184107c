// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reports points that the plugin has not seen, because rustc has generated their code in a crate other than
//! that of the handlers. Such code runs as without Sartor.

use core::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::collections::BTreeSet;
use std::io::Write;
use std::string::String;
use std::sync::Mutex;

static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

unsafe fn report(label: *const c_char, file: *const c_char, line: c_uint) {
    let text = |of| unsafe { CStr::from_ptr(of) }.to_string_lossy();
    let place = std::format!("\"{}\": at {}:{line}", text(label), text(file));
    let mut report = REPORTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !report.contains(&place) {
        // Unlike eprintln!, this does not panic if standard error cannot be written: here, that would end the process.
        let _ = std::writeln!(
            std::io::stderr(),
            "sartor: point_not_specializable: {place} is not in the crate of the handlers, but in one \
             that calls a generic or inline function of it (call it by a function that is neither)"
        );
        report.insert(place);
    }
}

// Definitions of the plugin's marks, which are left in code that it has not processed.
#[unsafe(no_mangle)]
unsafe extern "C" fn sartor_point_(
    _: *mut c_void,
    label: *const c_char,
    _: c_int,
    _: c_int,
    _: c_int,
    _: *const c_void,
    _: c_uint,
    file: *const c_char,
    line: c_uint,
) {
    unsafe { report(label, file, line) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn sartor_call_point_(
    _: *mut c_void,
    label: *const c_char,
    _: c_int,
    _: *const c_char,
    _: *mut c_void,
    _: c_uint,
    _: c_int,
    _: c_int,
    file: *const c_char,
    line: c_uint,
) {
    unsafe { report(label, file, line) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn sartor_assert_const_(
    _: *mut c_void,
    text: *const c_char,
    file: *const c_char,
    line: c_uint,
) {
    unsafe { report(text, file, line) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn sartor_one_of_(_: *mut c_void, text: *const c_char, file: *const c_char, line: c_uint) {
    unsafe { report(text, file, line) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn sartor_is_constant_(
    _: *mut c_void,
    text: *const c_char,
    file: *const c_char,
    line: c_uint,
) -> c_int {
    unsafe { report(text, file, line) }
    0
}
#[unsafe(no_mangle)]
unsafe extern "C" fn sartor_local_(
    memory: *mut c_void,
    _: usize,
    _: c_int,
    _: *const c_void,
    file: *const c_char,
    line: c_uint,
) -> *mut c_void {
    unsafe { report(c"local!".as_ptr(), file, line) }
    memory
}
#[unsafe(no_mangle)]
extern "C" fn sartor_publish_() {}
