// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bound arguments.

use core::ffi::c_void;

use crate::ffi;

/// One argument of a handler: bound, or left to callers.
#[derive(Clone, Copy)]
pub struct Argument(pub(crate) ffi::Argument);

/// A value that an argument can be bound to. Binding alone does not make the memory that it points to
/// constant: declare that invariant (`Invariant`).
///
/// # Safety
/// `argument` must be consistent with `Parameter`, for a value that does not move.
#[diagnostic::on_unimplemented(message = "an argument cannot be bound to a `{Self}`")]
pub unsafe trait Bound: Copy {
    #[doc(hidden)]
    fn argument(&self) -> Argument;
}

impl Argument {
    /// An argument that callers pass.
    pub fn free() -> Argument {
        Argument(ffi::Argument { kind: ffi::ARGUMENT_UNBOUND, value: ffi::ArgumentValue { integer: 0 } })
    }
    /// An argument that is bound to its current value. The value is read while the binding is made.
    pub fn bound<T: Bound>(value: &T) -> Argument {
        value.argument()
    }
}

macro_rules! integers {
    ($($of:ty),*) => {
        $(unsafe impl Bound for $of {
            fn argument(&self) -> Argument {
                let value = ffi::ArgumentValue { integer: *self as _ };
                Argument(ffi::Argument { kind: ffi::ARGUMENT_INTEGER, value })
            }
        })*
    };
}
integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, bool);

unsafe impl Bound for char {
    fn argument(&self) -> Argument {
        u32::from(*self).argument()
    }
}

macro_rules! floats {
    ($($of:ty),*) => {
        $(unsafe impl Bound for $of {
            fn argument(&self) -> Argument {
                let value = ffi::ArgumentValue { floating: f64::from(*self) };
                Argument(ffi::Argument { kind: ffi::ARGUMENT_FLOATING, value })
            }
        })*
    };
}
floats!(f32, f64);

fn pointer(to: *const c_void) -> Argument {
    let value = ffi::ArgumentValue { pointer: to };
    Argument(ffi::Argument { kind: ffi::ARGUMENT_POINTER, value })
}

unsafe impl<T> Bound for &T {
    fn argument(&self) -> Argument {
        pointer((*self as *const T).cast())
    }
}
unsafe impl<T> Bound for *const T {
    fn argument(&self) -> Argument {
        pointer(self.cast())
    }
}
unsafe impl<T> Bound for *mut T {
    fn argument(&self) -> Argument {
        pointer(self.cast())
    }
}

// A pointer and a number, with the same layout in memory as when they are passed.
fn slice<T>(of: &T) -> Argument {
    let object = ffi::Object { address: (of as *const T).cast(), bytes: size_of::<T>() };
    Argument(ffi::Argument { kind: ffi::ARGUMENT_OBJECT, value: ffi::ArgumentValue { object } })
}
unsafe impl<T> Bound for &[T] {
    fn argument(&self) -> Argument {
        slice(self)
    }
}
unsafe impl Bound for &str {
    fn argument(&self) -> Argument {
        slice(self)
    }
}
