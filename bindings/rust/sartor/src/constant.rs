// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Types that can be declared invariant: their values cannot change during a shared borrow.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// Receives invariant memory: its address, and its size in bytes.
pub type AddPart<'a> = dyn FnMut(*const u8, usize) + 'a;

fn add_object<T: ?Sized>(object: &T, add: &mut AddPart<'_>) {
    if size_of_val(object) > 0 {
        add((object as *const T).cast(), size_of_val(object));
    }
}

/// Adds a value, and the memory that it owns and borrows.
#[doc(hidden)]
pub fn add_all<T: Constant + ?Sized>(value: &T, add: &mut AddPart<'_>) {
    add_object(value, add);
    value.parts(add);
}

/// A type whose values do not change while they are borrowed, nor the memory that they refer to: no part of
/// it is a `Cell`, an atomic or a lock. Derive it for your own structures and enumerations with
/// `#[derive(sartor::Constant)]`.
///
/// # Safety
/// The type must have this property, and `parts` must only add memory that the value owns or borrows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be declared invariant",
    note = "invariant memory may hold numbers, arrays, slices, `Vec`, `Box` and references of such, and structures and \
            enumerations with #[derive(sartor::Constant)]; cells, atomics and locks change behind a shared \
            borrow: see `Fact`"
)]
pub unsafe trait Constant {
    /// True if it owns and borrows nothing.
    #[doc(hidden)]
    const FLAT: bool = true;
    #[doc(hidden)]
    fn parts(&self, add: &mut AddPart<'_>) {
        let _ = add;
    }
}

macro_rules! plain {
    ($($of:ty),*) => { $(unsafe impl Constant for $of {})* };
}
plain!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char, str, ());

unsafe impl<T: Constant> Constant for [T] {
    const FLAT: bool = T::FLAT;
    fn parts(&self, add: &mut AddPart<'_>) {
        if !T::FLAT {
            for each in self {
                each.parts(add);
            }
        }
    }
}
unsafe impl<T: Constant, const N: usize> Constant for [T; N] {
    const FLAT: bool = T::FLAT;
    fn parts(&self, add: &mut AddPart<'_>) {
        self.as_slice().parts(add);
    }
}
unsafe impl<T: Constant> Constant for Option<T> {
    const FLAT: bool = T::FLAT;
    fn parts(&self, add: &mut AddPart<'_>) {
        if let Some(value) = self {
            value.parts(add);
        }
    }
}
unsafe impl<T: Constant + ?Sized> Constant for &T {
    const FLAT: bool = false;
    fn parts(&self, add: &mut AddPart<'_>) {
        add_object(*self, add);
        (**self).parts(add);
    }
}
unsafe impl<T: Constant + ?Sized> Constant for Box<T> {
    const FLAT: bool = false;
    fn parts(&self, add: &mut AddPart<'_>) {
        add_object(&**self, add);
        (**self).parts(add);
    }
}
unsafe impl<T: Constant> Constant for Vec<T> {
    const FLAT: bool = false;
    fn parts(&self, add: &mut AddPart<'_>) {
        add_object(self.as_slice(), add);
        self.as_slice().parts(add);
    }
}
unsafe impl Constant for String {
    const FLAT: bool = false;
    fn parts(&self, add: &mut AddPart<'_>) {
        add_object(self.as_str(), add);
    }
}

macro_rules! tuples {
    ($(($($name:ident . $at:tt),*);)*) => {
        $(unsafe impl<$($name: Constant),*> Constant for ($($name,)*) {
            const FLAT: bool = true $(&& $name::FLAT)*;
            fn parts(&self, add: &mut AddPart<'_>) {
                $(self.$at.parts(add);)*
            }
        })*
    };
}
tuples! {
    (A.0);
    (A.0, B.1);
    (A.0, B.1, C.2);
    (A.0, B.1, C.2, D.3);
}
