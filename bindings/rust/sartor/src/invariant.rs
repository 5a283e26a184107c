// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Declarations of invariant memory.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::{null_mut, NonNull};

use crate::constant::{add_all, AddPart, Constant};
use crate::error::{check, Error, ErrorCode};
use crate::ffi;

/// Declares that a value, and the memory that it owns and borrows, does not change: loads from it become
/// constants in variants that are compiled from now on, if pointers lead to it. It borrows the value, so the
/// compiler rejects code that would change or move it meanwhile:
///
/// ```compile_fail,E0506
/// let mut table = [1u32, 2, 3];
/// let invariant = sartor::Invariant::declare(&table).unwrap();
/// table[0] = 7; // error: `table[_]` is borrowed
/// drop(invariant);
/// ```
///
/// A borrowed value must live as long as the invariant:
///
/// ```compile_fail,E0597
/// let invariant = {
///     let table = [1u32, 2, 3];
///     sartor::Invariant::declare(&table).unwrap() // error: does not live long enough
/// };
/// drop(invariant);
/// ```
///
/// A value that can change behind a shared borrow cannot be declared invariant:
///
/// ```compile_fail,E0277
/// let count = std::sync::atomic::AtomicU32::new(1);
/// let invariant = sartor::Invariant::declare(&count); // error: `Constant` is not implemented
/// ```
///
/// It ends when it is dropped: after the drop returns, no code that depends on it runs any more. Do not
/// `mem::forget()` it, because then the declaration stays and the borrow ends.
#[derive(Debug)]
#[must_use = "the invariant is revoked when this is dropped"]
pub struct Invariant<'a> {
    raw: NonNull<ffi::Invariant>,
    declared: PhantomData<&'a ()>,
}

unsafe impl Send for Invariant<'_> {}
unsafe impl Sync for Invariant<'_> {}

impl<'a> Invariant<'a> {
    /// Declares a value invariant, with the memory that it owns and borrows.
    pub fn declare<T: Constant + ?Sized>(value: &'a T) -> Result<Invariant<'a>, Error> {
        Invariant::with(value, |add| add_all(value, add))
    }
    /// Declares numbers or structures invariant, but not the memory that they refer to. A type that can be
    /// copied contains no cell.
    pub fn declare_slice<T: Copy>(values: &'a [T]) -> Result<Invariant<'a>, Error> {
        Invariant::with(values, |add| add(values.as_ptr().cast(), size_of_val(values)))
    }
    /// Called by `invariant!`. `each` must only add memory that is part of the value, or that the value owns
    /// or borrows.
    #[doc(hidden)]
    pub fn with<T: ?Sized>(
        _value: &'a T,
        each: impl FnOnce(&mut AddPart<'_>),
    ) -> Result<Invariant<'a>, Error> {
        let mut raw = null_mut();
        let mut status = ffi::OK;
        each(&mut |memory: *const u8, size| {
            let memory = memory.cast::<c_void>();
            if status == ffi::OK && size > 0 {
                status = unsafe { ffi::sartor_invariant_add_part(memory, size, memory, size, &mut raw) };
            }
        });
        let report = check(status);
        let invariant = NonNull::new(raw).map(|raw| Invariant { raw, declared: PhantomData });
        report?; // dropping `invariant` revokes the parts added so far
        invariant.ok_or_else(|| {
            Error::new(
                ErrorCode::BadInvariant,
                "an invariant",
                "has no bytes",
                "declare memory that has bytes",
            )
        })
    }
    /// Revokes the invariant, as dropping it does. Within a handler, this does not wait: calls that began
    /// before may continue in code that depends on it.
    pub fn revoke(self) {}

    pub(crate) fn raw(&self) -> *mut ffi::Invariant {
        self.raw.as_ptr()
    }
}

/// Declares a value invariant whose type has `#[derive(sartor::Constant)]` in a file of handlers:
/// `invariant!(&table)`. (That file is compiled with its own instance of `sartor`, whose traits the program
/// does not know.)
#[macro_export]
macro_rules! invariant {
    ($value:expr) => {{
        let value = $value;
        $crate::Invariant::with(value, |add| value.sartor_parts(add))
    }};
}

impl Drop for Invariant<'_> {
    fn drop(&mut self) {
        // Within a handler, waiting for calls to end is impossible. Then its record of a few bytes is not
        // freed.
        if check(unsafe { ffi::sartor_invalidate(self.raw()) }).is_err() {
            unsafe { ffi::sartor_invalidate_later(self.raw()) };
        }
    }
}
