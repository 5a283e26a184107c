// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Quasi-invariants: values that usually do not change.

use core::ffi::c_void;
use core::ptr::{null_mut, NonNull};
use core::sync::atomic::{
    AtomicBool, AtomicI16, AtomicI32, AtomicI64, AtomicI8, AtomicIsize, AtomicU16, AtomicU32, AtomicU64,
    AtomicU8, AtomicUsize, Ordering,
};
use core::time::Duration;
use std::boxed::Box;
use std::string::String;

use crate::error::{check, Error};
use crate::ffi;
use crate::runtime::{c_text, take_text};

/// An atomic of the standard library.
///
/// # Safety
/// The type must consist of its value alone.
pub unsafe trait Atomic {
    /// The type of its value.
    type Value: Copy + PartialEq;
    #[doc(hidden)]
    fn made(value: Self::Value) -> Self;
    #[doc(hidden)]
    fn get(&self) -> Self::Value;
    #[doc(hidden)]
    fn set(&self, value: Self::Value);
}

macro_rules! atomics {
    ($($of:ident: $value:ty),*) => {
        $(unsafe impl Atomic for $of {
            type Value = $value;
            fn made(value: $value) -> Self {
                $of::new(value)
            }
            fn get(&self) -> $value {
                self.load(Ordering::Acquire)
            }
            fn set(&self, value: $value) {
                self.store(value, Ordering::Release)
            }
        })*
    };
}
atomics!(
    AtomicBool: bool, AtomicU8: u8, AtomicU16: u16, AtomicU32: u32, AtomicU64: u64,
    AtomicUsize: usize, AtomicI8: i8, AtomicI16: i16, AtomicI32: i32, AtomicI64: i64,
    AtomicIsize: isize
);

/// Options of a quasi-invariant.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuasiInvariantOptions {
    /// Writers do not wait for calls under way.
    pub deferred: bool,
    /// Delay after a write before it may become valid again; zero: the default.
    pub back_off: Duration,
    /// Maximum of this delay; zero: the default.
    pub longest_back_off: Duration,
}

/// A number that usually does not change. While no thread writes it, variants use it as a constant; a store
/// to it first invalidates such code.
///
/// Handlers are passed `cell()`, and load it with `Ordering::Relaxed`: such loads fold.
#[derive(Debug)]
pub struct QuasiInvariant<A> {
    raw: NonNull<ffi::QuasiInvariant>,
    // Boxed, because variants contain its address.
    cell: Box<A>,
}

unsafe impl<A: Send> Send for QuasiInvariant<A> {}
unsafe impl<A: Sync> Sync for QuasiInvariant<A> {}

impl<A: Atomic> QuasiInvariant<A> {
    /// Makes a quasi-invariant with this name; `value` is its initial value.
    pub fn new(name: &str, value: A::Value) -> Result<QuasiInvariant<A>, Error> {
        QuasiInvariant::with(name, value, QuasiInvariantOptions::default())
    }
    /// The same with options.
    pub fn with(
        name: &str,
        value: A::Value,
        options: QuasiInvariantOptions,
    ) -> Result<QuasiInvariant<A>, Error> {
        let name = c_text(name)?;
        let options = ffi::QuasiInvariantOptions {
            validate: None,
            refuse: None,
            reinforce: None,
            context: null_mut(),
            deferred: options.deferred.into(),
            back_off: options.back_off.as_secs_f64(),
            longest_back_off: options.longest_back_off.as_secs_f64(),
            check_every: 0.0,
            hold_callers: 0.0,
            protect_pages: 0,
        };
        let mut raw = null_mut();
        check(unsafe { ffi::sartor_quasi_invariant_make(name.as_ptr(), &options, &mut raw) })?;
        let quasi_invariant =
            QuasiInvariant { raw: NonNull::new(raw).expect("it was made"), cell: Box::new(A::made(value)) };
        let memory = (&raw const *quasi_invariant.cell).cast::<c_void>();
        check(unsafe {
            ffi::sartor_quasi_invariant_add_part(raw, memory, size_of::<A>(), memory, size_of::<A>())
        })?;
        Ok(quasi_invariant)
    }
    /// The cell that handlers read. A store to it without `store()` does not invalidate variants that depend
    /// on the old value.
    pub fn cell(&self) -> &A {
        &self.cell
    }
    /// The current value.
    pub fn load(&self) -> A::Value {
        self.cell.get()
    }
    /// Changes the value. When this returns, no code runs that depends on another value. Must not be called
    /// within a handler, unless the quasi-invariant is deferred.
    pub fn store(&self, value: A::Value) {
        if self.load() == value {
            return;
        }
        let write = unsafe { ffi::sartor_begin_write(self.raw.as_ptr()) };
        self.cell.set(value);
        unsafe { ffi::sartor_end_write(write) };
    }
    /// True if variants may depend on it.
    pub fn valid(&self) -> bool {
        unsafe { ffi::sartor_quasi_invariant_valid(self.raw.as_ptr()) != 0 }
    }
    /// Waits until it is valid, for at most this long. True if it is.
    pub fn wait(&self, at_most: Duration) -> bool {
        unsafe { ffi::sartor_quasi_invariant_wait(self.raw.as_ptr(), at_most.as_secs_f64()) != 0 }
    }
    /// Statistics of it, as JSON.
    pub fn figures(&self) -> Result<String, Error> {
        let mut json = null_mut();
        check(unsafe { ffi::sartor_quasi_invariant_figures(self.raw.as_ptr(), &mut json) })?;
        Ok(unsafe { take_text(json) }.unwrap_or_default())
    }
}

impl<A> Drop for QuasiInvariant<A> {
    fn drop(&mut self) {
        unsafe { ffi::sartor_quasi_invariant_free(self.raw.as_ptr()) }
    }
}
