// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Promises about memory.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::{null_mut, NonNull};

use crate::constant::{add_all, AddPart, Constant};
use crate::error::{check, Error, ErrorCode};
use crate::ffi;

/// The promise that a value, and what it owns and borrows, does not change: loads from it become
/// constants in variants made from now on, where pointers lead to it. It borrows the value, so whoever
/// would change or move it while it is promised is refused by the compiler:
///
/// ```compile_fail,E0506
/// let mut table = [1u32, 2, 3];
/// let promise = sartor::Invariant::promise(&table).unwrap();
/// table[0] = 7; // error: `table[_]` is borrowed
/// drop(promise);
/// ```
///
/// and what it borrows lives as long as it does:
///
/// ```compile_fail,E0597
/// let promise = {
///     let table = [1u32, 2, 3];
///     sartor::Invariant::promise(&table).unwrap() // error: does not live long enough
/// };
/// drop(promise);
/// ```
///
/// What changes behind a shared borrow cannot be promised:
///
/// ```compile_fail,E0277
/// let count = std::sync::atomic::AtomicU32::new(1);
/// let promise = sartor::Invariant::promise(&count); // error: cannot be promised not to change
/// ```
///
/// It ends when it is dropped: no code built on it runs any more when that returns. Do not
/// `mem::forget()` it, as the promise stays then and the borrow does not.
#[derive(Debug)]
#[must_use = "the promise is taken back when this is dropped"]
pub struct Invariant<'a> {
    raw: NonNull<ffi::Invariant>,
    promised: PhantomData<&'a ()>,
}

unsafe impl Send for Invariant<'_> {}
unsafe impl Sync for Invariant<'_> {}

impl<'a> Invariant<'a> {
    /// Promises a value, and what it owns and borrows.
    pub fn promise<T: Constant + ?Sized>(value: &'a T) -> Result<Invariant<'a>, Error> {
        Invariant::with(value, |add| add_all(value, add))
    }
    /// Promises so many numbers or structures, and nothing that these lead to. What can be copied has
    /// no cell in it.
    pub fn promise_slice<T: Copy>(values: &'a [T]) -> Result<Invariant<'a>, Error> {
        Invariant::with(values, |add| add(values.as_ptr().cast(), size_of_val(values)))
    }
    /// By `promise!`. What `each` adds is part of the value, or is owned or borrowed by it.
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
                status = unsafe { ffi::sartor_promise_part(memory, size, memory, size, &mut raw) };
            }
        });
        let told = check(status);
        let promise = NonNull::new(raw).map(|raw| Invariant { raw, promised: PhantomData });
        told?; // with what was promised taken back
        promise.ok_or_else(|| {
            Error::new(ErrorCode::BadInvariant, "a promise", "has no bytes", "promise something")
        })
    }
    /// Takes the promise back, as dropping it does. Within a handler, that does not wait: calls that
    /// began before may go on in such code.
    pub fn take_back(self) {}

    pub(crate) fn raw(&self) -> *mut ffi::Invariant {
        self.raw.as_ptr()
    }
}

/// Promises a value whose type `#[derive(sartor::Constant)]` stands at, in a file of handlers:
/// `promise!(&table)`. (That file has been compiled with a `sartor` of its own, of whose traits the
/// program knows nothing.)
#[macro_export]
macro_rules! promise {
    ($value:expr) => {{
        let value = $value;
        $crate::Invariant::with(value, |add| value.sartor_parts(add))
    }};
}

impl Drop for Invariant<'_> {
    fn drop(&mut self) {
        // Within a handler, one cannot wait for it to end. The record of it stays, of a few bytes.
        if check(unsafe { ffi::sartor_invalidate(self.raw()) }).is_err() {
            unsafe { ffi::sartor_invalidate_later(self.raw()) };
        }
    }
}
