// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lookup of the program's handlers, and the location of its embedded modules.

use core::arch::global_asm;
use core::ffi::{c_void, CStr};

use crate::error::{Error, ErrorCode};
use crate::row::Head;

// The linker defines these if the section exists; weak names can be declared in assembly only.
global_asm!(
    ".weak __start_sartor_modules",
    ".hidden __start_sartor_modules",
    ".weak __stop_sartor_modules",
    ".hidden __stop_sartor_modules",
    ".weak __start_sartor_functions",
    ".hidden __start_sartor_functions",
    ".weak __stop_sartor_functions",
    ".hidden __stop_sartor_functions",
    ".pushsection .data.rel.ro.sartor_rust_bounds,\"aw\",@progbits",
    ".balign 8",
    ".globl sartor_rust_bounds",
    ".hidden sartor_rust_bounds",
    "sartor_rust_bounds:",
    ".quad __start_sartor_modules",
    ".quad __stop_sartor_modules",
    ".quad __start_sartor_functions",
    ".quad __stop_sartor_functions",
    ".popsection",
);

#[repr(C)]
struct Bounds {
    modules: *const c_void,
    modules_end: *const c_void,
    rows: *const u8,
    rows_end: *const u8,
}

extern "C" {
    #[link_name = "sartor_rust_bounds"]
    static BOUNDS: Bounds;
}

pub(crate) fn modules() -> (*const c_void, *const c_void) {
    unsafe { (BOUNDS.modules, BOUNDS.modules_end) }
}

/// The name of the handler at an address.
pub(crate) fn name_of(function: *const ()) -> Result<&'static CStr, Error> {
    let (mut row, end) = unsafe { (BOUNDS.rows, BOUNDS.rows_end) };
    while row < end {
        // Rows are complete and contiguous: each file has had its own aligned.
        let head = unsafe { &*row.cast::<Head>() };
        if head.function == function && head.kind & 1 != 0 {
            return Ok(unsafe { CStr::from_ptr(head.name.cast()) });
        }
        row = unsafe { row.add(head.size()) };
    }
    Err(Error::new(
        ErrorCode::UnknownHandler,
        "this function",
        "is no handler of this program",
        "put #[sartor::handler] at it, in a file that sartor_build::Handlers compiles",
    ))
}
