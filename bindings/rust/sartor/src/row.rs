// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Descriptions of handlers, in a section of the program. The compiler plugin makes handlers of functions by
//! them, and the run time recognizes a handler by its address (src/compiler/plugin/declared/foreign.cpp).

/// Kind of a parameter, and the number of machine arguments that pass it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Form {
    class: u8,
    bits: u8,
    words: u16,
    bytes: u32,
}

impl Form {
    const fn scalar(class: u8, bits: u8) -> Form {
        Form { class, bits, words: 1, bytes: bits.div_ceil(8) as u32 }
    }
    /// A pointer to a sized type.
    pub const POINTER: Form = Form::scalar(b'p', usize::BITS as u8);
    /// A pointer and a number of elements.
    pub const SLICE: Form = Form { class: b'o', bits: 0, words: 2, bytes: 2 * (usize::BITS / 8) };
}

/// A type that is allowed for parameters of handlers.
///
/// # Safety
/// `FORM` must be the way in which rustc passes the type. A structure of one number is passed as that number
/// is: `unsafe impl Parameter for Id { const FORM: Form = u32::FORM; }`. The plugin compares it with the
/// code, as far as possible.
#[diagnostic::on_unimplemented(
    message = "a handler cannot have a parameter of type `{Self}`",
    label = "pass it by reference",
    note = "numbers, `bool`, `char`, references, slices and raw pointers are passed by value"
)]
pub unsafe trait Parameter {
    /// The way in which it is passed.
    const FORM: Form;
}

macro_rules! scalars {
    ($($class:literal: $($of:ty),*;)*) => {
        $($(unsafe impl Parameter for $of {
            const FORM: Form = Form::scalar($class, (8 * size_of::<$of>()) as u8);
        })*)*
    };
}
scalars! {
    b'u': u8, u16, u32, u64, usize, char;
    b's': i8, i16, i32, i64, isize;
    b'f': f32, f64;
    b'b': bool;
}

macro_rules! pointers {
    ($($form:ident: $($of:ty),*;)*) => {
        $($(unsafe impl<T> Parameter for $of { const FORM: Form = Form::$form; })*)*
    };
}
pointers! {
    POINTER: &T, &mut T, *const T, *mut T, Option<&T>, Option<&mut T>, core::ptr::NonNull<T>;
    SLICE: &[T], &mut [T];
}
unsafe impl Parameter for &str {
    const FORM: Form = Form::SLICE;
}

/// A function with `N` parameters.
#[repr(C)]
pub struct Row<const N: usize> {
    head: Head,
    parameters: [Form; N],
}

/// The common beginning of all rows.
#[repr(C)]
pub(crate) struct Head {
    pub(crate) function: *const (),
    pub(crate) name: *const u8,
    pub(crate) kind: u32,
    pub(crate) count: u32,
}

// Its pointers refer to code and constants only.
unsafe impl<const N: usize> Sync for Row<N> {}

impl<const N: usize> Row<N> {
    /// Called by the attributes. `name` ends with a zero byte.
    #[doc(hidden)]
    pub const fn new(function: *const (), name: &'static str, kind: u32, parameters: [Form; N]) -> Self {
        let head = Head { function, name: name.as_ptr(), kind, count: N as u32 };
        Row { head, parameters }
    }
}

#[cfg(feature = "runtime")]
impl Head {
    pub(crate) fn size(&self) -> usize {
        size_of::<Head>() + self.count as usize * size_of::<Form>()
    }
}
