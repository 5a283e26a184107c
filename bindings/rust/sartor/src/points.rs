// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Points: the places in a handler that may be specialized.
//!
//! Each macro is an expression with the value and the type of its argument, and costs nothing in
//! native code. A label is a literal, unique in the program for one kind and one list of choices.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU32, AtomicU64};

mod marks {
    use super::*;
    // Never defined: the marks that the plugin reads and removes (include/sartor/points.h).
    extern "C" {
        pub fn sartor_point_(
            value: *mut c_void, label: *const c_char, kind: c_int, is_signed: c_int, is_bool: c_int,
            choices: *const c_void, count: c_uint, file: *const c_char, line: c_uint);
        pub fn sartor_call_point_(
            result: *mut c_void, label: *const c_char, kind: c_int, custom_kind: *const c_char,
            version: *mut c_void, version_bytes: c_uint, is_signed: c_int, is_bool: c_int,
            file: *const c_char, line: c_uint);
        pub fn sartor_assert_const_(
            value: *mut c_void, text: *const c_char, file: *const c_char, line: c_uint);
    }
}

/// Code with points that rustc has put into another crate than the one with the handlers: the plugin
/// has not seen it. It does what it does without Sartor, and this says so.
#[cfg(feature = "runtime")]
mod unseen {
    use core::ffi::{c_char, c_int, c_uint, c_void, CStr};
    use std::collections::BTreeSet;
    use std::string::String;
    use std::sync::Mutex;

    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

    unsafe fn tell(label: *const c_char, file: *const c_char, line: c_uint) {
        let text = |of| unsafe { CStr::from_ptr(of) }.to_string_lossy();
        let place = std::format!("\"{}\": at {}:{line}", text(label), text(file));
        let mut told = TOLD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !told.contains(&place) {
            std::eprintln!(
                "sartor: point_not_specializable: {place} is not in the crate of the handlers, but in one \
                 that calls a generic or inline function of it (call it by a function that is neither)"
            );
            told.insert(place);
        }
    }

    // Marks of the plugin's, which are left where it has not been.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn sartor_point_(
        _: *mut c_void, label: *const c_char, _: c_int, _: c_int, _: c_int, _: *const c_void, _: c_uint,
        file: *const c_char, line: c_uint) {
        unsafe { tell(label, file, line) }
    }
    #[unsafe(no_mangle)]
    unsafe extern "C" fn sartor_call_point_(
        _: *mut c_void, label: *const c_char, _: c_int, _: *const c_char, _: *mut c_void, _: c_uint,
        _: c_int, _: c_int, file: *const c_char, line: c_uint) {
        unsafe { tell(label, file, line) }
    }
    #[unsafe(no_mangle)]
    unsafe extern "C" fn sartor_assert_const_(
        _: *mut c_void, text: *const c_char, file: *const c_char, line: c_uint) {
        unsafe { tell(text, file, line) }
    }
}

/// A type whose values can be listed as choices: numbers, `bool`, `char`, raw pointers, and
/// enumerations without fields by `#[derive(Choice)]`.
///
/// # Safety
/// It is passed as one number, float or pointer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a point",
    note = "points are numbers, `bool`, `char`, raw pointers, and enumerations with #[derive(sartor::Choice)]"
)]
pub unsafe trait Choice: Copy {
    #[doc(hidden)]
    const SIGNED: c_int;
    #[doc(hidden)]
    const BOOL: c_int;
}

/// A type all of whose bits are values, so that a configuration may set any.
///
/// # Safety
/// As it says.
#[diagnostic::on_unimplemented(
    message = "a configuration might give `{Self}` a value that it does not have",
    note = "list its values with sartor::point_enum!"
)]
pub unsafe trait Number: Choice {}

macro_rules! choices {
    ($($signed:literal, $bool:literal: $($of:ty),*;)*) => {
        $($(unsafe impl Choice for $of {
            const SIGNED: c_int = $signed;
            const BOOL: c_int = $bool;
        })*)*
    };
}
choices! {
    0, 0: u8, u16, u32, u64, usize, char, f32, f64;
    1, 0: i8, i16, i32, i64, isize;
    0, 1: bool;
}
macro_rules! numbers { ($($of:ty),*) => { $(unsafe impl Number for $of {})* } }
numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64, bool);
unsafe impl<T> Choice for *const T {
    const SIGNED: c_int = 0;
    const BOOL: c_int = 0;
}
unsafe impl<T> Choice for *mut T {
    const SIGNED: c_int = 0;
    const BOOL: c_int = 0;
}
unsafe impl<T> Number for *const T {}
unsafe impl<T> Number for *mut T {}

/// A counter that says whether remembered results still hold: see [`fast_path!`](crate::fast_path).
///
/// # Safety
/// It is one unsigned number of 32 or 64 bits.
pub unsafe trait Version {}
unsafe impl Version for AtomicU32 {}
unsafe impl Version for AtomicU64 {}

/// Where a mark stands. Texts end with a zero byte.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Place {
    pub label: &'static str,
    pub file: &'static str,
    pub line: u32,
}

#[doc(hidden)]
#[inline(always)]
pub fn listed<T: Choice, const N: usize>(
    mut value: T, choices: &'static [T; N], kind: c_int, place: Place) -> T {
    // The mark is gone when the code is compiled; the plugin alone reads it.
    unsafe {
        marks::sartor_point_(
            (&raw mut value).cast(), place.label.as_ptr().cast(), kind, T::SIGNED, T::BOOL,
            choices.as_ptr().cast(), N as c_uint, place.file.as_ptr().cast(), place.line);
    }
    value
}

#[doc(hidden)]
#[inline(always)]
pub fn ranged<T: Number>(value: T, bounds: &'static [T; 2], place: Place) -> T {
    listed(value, bounds, 2, place)
}

#[doc(hidden)]
#[inline(always)]
pub fn any<T: Number>(mut value: T, kind: c_int, place: Place) -> T {
    unsafe {
        marks::sartor_point_(
            (&raw mut value).cast(), place.label.as_ptr().cast(), kind, T::SIGNED, T::BOOL,
            core::ptr::null(), 0, place.file.as_ptr().cast(), place.line);
    }
    value
}

#[doc(hidden)]
#[inline(always)]
pub fn called<T: Choice>(mut result: T, place: Place) -> T {
    unsafe {
        marks::sartor_call_point_(
            (&raw mut result).cast(), place.label.as_ptr().cast(), 5, c"".as_ptr(),
            core::ptr::null_mut(), 0, T::SIGNED, T::BOOL, place.file.as_ptr().cast(), place.line);
    }
    result
}

#[doc(hidden)]
#[inline(always)]
pub fn called_versioned<T: Choice, V: Version>(mut result: T, version: &V, place: Place) -> T {
    let mut version: *const V = version;
    unsafe {
        marks::sartor_call_point_(
            (&raw mut result).cast(), place.label.as_ptr().cast(), 5, c"".as_ptr(),
            (&raw mut version).cast(), size_of::<V>() as c_uint, T::SIGNED, T::BOOL,
            place.file.as_ptr().cast(), place.line);
    }
    result
}

#[doc(hidden)]
#[inline(always)]
pub fn asserted<T: Choice>(mut value: T, place: Place) {
    unsafe {
        marks::sartor_assert_const_(
            (&raw mut value).cast(), place.label.as_ptr().cast(), place.file.as_ptr().cast(),
            place.line);
    }
}

/// Marks are nothing that a linker knows: who has not told the plugin of them is told here.
#[doc(hidden)]
#[macro_export]
macro_rules! compiled_by_sartor_build {
    () => {
        const _: &str = ::core::env!(
            "SARTOR_HANDLERS",
            "sartor: handlers and points are for files that `sartor_build::Handlers` compiles in a \
             build.rs: move this function to one"
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! place {
    ($label:expr) => {{
        $crate::compiled_by_sartor_build!();
        $crate::points::Place {
            label: ::core::concat!($label, "\0"),
            file: ::core::concat!(::core::file!(), "\0"),
            line: ::core::line!(),
        }
    }};
}

/// A value that is one of the listed choices, most of the time: `point_enum!("B", b, 2, 4, 8)`.
#[macro_export]
macro_rules! point_enum {
    ($label:literal, $value:expr, $($choice:expr),+ $(,)?) => {
        $crate::points::listed($value, &[$($choice),+], 1, $crate::place!($label))
    };
}

/// A value that lies between two, both included, most of the time: `point_range!("n", n, 1, 64)`.
#[macro_export]
macro_rules! point_range {
    ($label:literal, $value:expr, $low:expr, $high:expr $(,)?) => {
        $crate::points::ranged($value, &[$low, $high], $crate::place!($label))
    };
}

/// A value of which nothing is known beforehand.
#[macro_export]
macro_rules! point_generic {
    ($label:literal, $value:expr $(,)?) => {
        $crate::points::any($value, 3, $crate::place!($label))
    };
}

/// A condition that usually holds.
#[macro_export]
macro_rules! point_assume {
    ($label:literal, $condition:expr $(,)?) => {
        $crate::points::any::<bool>($condition, 4, $crate::place!($label))
    };
}

/// A call whose popular results may be remembered: `fast_path!("route", look_up, address)`. The
/// function is called by its name, has no side effects, and takes and gives numbers, `bool` or
/// pointers to what has a size. If it reads memory that may change, tie the label to an invariant
/// (`Runtime::tie`), or name a counter that is incremented with each change:
/// `fast_path!("route", [&table.version] look_up, address)`.
#[macro_export]
macro_rules! fast_path {
    ($label:literal, [$version:expr] $function:expr $(, $argument:expr)* $(,)?) => {{
        let version = $version;
        $crate::points::called_versioned(
            $crate::direct_call!($function $(, $argument)*), version, $crate::place!($label))
    }};
    ($label:literal, $function:expr $(, $argument:expr)* $(,)?) => {
        $crate::points::called($crate::direct_call!($function $(, $argument)*), $crate::place!($label))
    };
}

// By way of a pointer, which the code that the plugin gets does not have any more: rustc would put
// a short function in the place of its call.
#[doc(hidden)]
#[macro_export]
macro_rules! direct_call {
    ($function:expr $(, $argument:expr)*) => {
        {
            let function: fn($($crate::any_type!($argument)),*) -> _ = $function;
            function($($argument),*)
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! any_type {
    ($argument:expr) => { _ };
}

/// In every variant, the value must have become a constant; otherwise the variant is refused with an
/// error that names it. Generic code ignores it.
#[macro_export]
macro_rules! assert_const {
    ($value:expr) => {
        $crate::points::asserted($value, $crate::place!(::core::stringify!($value)))
    };
}
