// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Points: the places in a handler that may be specialized.
//!
//! Each macro is an expression with the value and the type of its argument, and costs nothing in native code.
//! A label is a literal, unique in the program for one kind and one list of choices.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU32, AtomicU64};

mod marks {
    use super::*;
    // Never defined: the marks that the plugin reads and removes (include/sartor/points.h).
    extern "C" {
        pub fn sartor_point_(
            value: *mut c_void,
            label: *const c_char,
            kind: c_int,
            is_signed: c_int,
            is_bool: c_int,
            choices: *const c_void,
            count: c_uint,
            file: *const c_char,
            line: c_uint,
        );
        pub fn sartor_call_point_(
            result: *mut c_void,
            label: *const c_char,
            kind: c_int,
            custom_kind: *const c_char,
            version: *mut c_void,
            version_bytes: c_uint,
            is_signed: c_int,
            is_bool: c_int,
            file: *const c_char,
            line: c_uint,
        );
        pub fn sartor_assert_const_(
            value: *mut c_void,
            text: *const c_char,
            file: *const c_char,
            line: c_uint,
        );
        pub fn sartor_one_of_(value: *mut c_void, text: *const c_char, file: *const c_char, line: c_uint);
        pub fn sartor_is_constant_(
            value: *mut c_void,
            text: *const c_char,
            file: *const c_char,
            line: c_uint,
        ) -> c_int;
        pub fn sartor_local_(
            memory: *mut c_void,
            bytes: usize,
            saved: c_int,
            check: Option<Check>,
            file: *const c_char,
            line: c_uint,
        ) -> *mut c_void;
        pub fn sartor_publish_();
        // Defined in the library.
        pub fn sartor_check_local(
            memory: *mut c_void,
            bytes: usize,
            ends: c_int,
            file: *const c_char,
            line: c_uint,
        );
    }
    pub type Check = unsafe extern "C" fn(*mut c_void, usize, c_int, *const c_char, c_uint);
}

/// A type whose values can be listed as choices: numbers, `bool`, `char`, raw pointers, and enumerations
/// without fields by `#[derive(Choice)]`.
///
/// # Safety
/// The type must be passed as one number, float or pointer.
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

/// A type for which all bit patterns are valid, so that a configuration may set any.
///
/// # Safety
/// The type must have this property.
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

/// A counter that invalidates cached results when it changes: see [`fast_path!`](crate::fast_path).
///
/// # Safety
/// The type must be one unsigned number of 32 or 64 bits.
pub unsafe trait Version {}
unsafe impl Version for AtomicU32 {}
unsafe impl Version for AtomicU64 {}

/// Source location of a mark. Texts end with a zero byte.
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
    mut value: T,
    choices: &'static [T; N],
    kind: c_int,
    place: Place,
) -> T {
    // The plugin removes the mark when the code is compiled, and is its only reader.
    unsafe {
        marks::sartor_point_(
            (&raw mut value).cast(),
            place.label.as_ptr().cast(),
            kind,
            T::SIGNED,
            T::BOOL,
            choices.as_ptr().cast(),
            N as c_uint,
            place.file.as_ptr().cast(),
            place.line,
        );
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
            (&raw mut value).cast(),
            place.label.as_ptr().cast(),
            kind,
            T::SIGNED,
            T::BOOL,
            core::ptr::null(),
            0,
            place.file.as_ptr().cast(),
            place.line,
        );
    }
    value
}

#[doc(hidden)]
#[inline(always)]
pub fn called<T: Choice>(mut result: T, place: Place) -> T {
    unsafe {
        marks::sartor_call_point_(
            (&raw mut result).cast(),
            place.label.as_ptr().cast(),
            5,
            c"".as_ptr(),
            core::ptr::null_mut(),
            0,
            T::SIGNED,
            T::BOOL,
            place.file.as_ptr().cast(),
            place.line,
        );
    }
    result
}

#[doc(hidden)]
#[inline(always)]
pub fn called_versioned<T: Choice, V: Version>(mut result: T, version: &V, place: Place) -> T {
    let mut version: *const V = version;
    unsafe {
        marks::sartor_call_point_(
            (&raw mut result).cast(),
            place.label.as_ptr().cast(),
            5,
            c"".as_ptr(),
            (&raw mut version).cast(),
            size_of::<V>() as c_uint,
            T::SIGNED,
            T::BOOL,
            place.file.as_ptr().cast(),
            place.line,
        );
    }
    result
}

#[doc(hidden)]
#[inline(always)]
pub fn asserted<T: Choice>(mut value: T, place: Place) {
    unsafe {
        marks::sartor_assert_const_(
            (&raw mut value).cast(),
            place.label.as_ptr().cast(),
            place.file.as_ptr().cast(),
            place.line,
        );
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn noted<T: Choice>(mut value: T, place: Place) -> T {
    unsafe {
        marks::sartor_one_of_(
            (&raw mut value).cast(),
            place.label.as_ptr().cast(),
            place.file.as_ptr().cast(),
            place.line,
        );
    }
    value
}

#[doc(hidden)]
#[inline(always)]
pub fn is_constant<T: Choice>(mut value: T, place: Place) -> bool {
    unsafe {
        marks::sartor_is_constant_(
            (&raw mut value).cast(),
            place.label.as_ptr().cast(),
            place.file.as_ptr().cast(),
            place.line,
        ) != 0
    }
}

/// # Safety
/// See [`local!`](crate::local).
#[doc(hidden)]
#[inline(always)]
pub unsafe fn local<T>(memory: &mut [T], is_checked: bool, place: Place) -> &mut [T] {
    let (count, bytes) = (memory.len(), size_of_val(memory));
    let check: Option<marks::Check> = if is_checked { Some(marks::sartor_check_local) } else { None };
    unsafe {
        let begin = marks::sartor_local_(
            memory.as_mut_ptr().cast(),
            bytes,
            0,
            check,
            place.file.as_ptr().cast(),
            place.line,
        );
        &mut *core::ptr::slice_from_raw_parts_mut(begin.cast(), count)
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn publish() {
    unsafe { marks::sartor_publish_() }
}
