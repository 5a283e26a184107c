// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Facts: what usually does not change.

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

/// An atomic of the standard library's.
///
/// # Safety
/// It consists of its value alone.
pub unsafe trait Atomic {
    /// What is in it.
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

/// How a fact is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct FactOptions {
    /// Writers do not wait for calls under way.
    pub deferred: bool,
    /// After a write, it is tried again whether it holds for so long; zero for what is usual.
    pub back_off: Duration,
    /// And for so long at most.
    pub longest_back_off: Duration,
}

/// A number that usually does not change. While nobody writes it, variants have it as a constant;
/// who stores to it first has such code taken out of force.
///
/// Handlers are given `cell()`, and load it with `Ordering::Relaxed`: such loads fold.
#[derive(Debug)]
pub struct Fact<A> {
    raw: NonNull<ffi::Fact>,
    // Variants know its address.
    cell: Box<A>,
}

unsafe impl<A: Send> Send for Fact<A> {}
unsafe impl<A: Sync> Sync for Fact<A> {}

impl<A: Atomic> Fact<A> {
    /// A fact of that name; `value` is what it is now.
    pub fn new(name: &str, value: A::Value) -> Result<Fact<A>, Error> {
        Fact::with(name, value, FactOptions::default())
    }
    /// The same with options.
    pub fn with(name: &str, value: A::Value, options: FactOptions) -> Result<Fact<A>, Error> {
        let name = c_text(name)?;
        let options = ffi::FactOptions {
            holds: None,
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
        check(unsafe { ffi::sartor_make_fact(name.as_ptr(), &options, &mut raw) })?;
        let fact = Fact { raw: NonNull::new(raw).expect("it was made"), cell: Box::new(A::made(value)) };
        let memory = (&raw const *fact.cell).cast::<c_void>();
        check(unsafe { ffi::sartor_fact_part(raw, memory, size_of::<A>(), memory, size_of::<A>()) })?;
        Ok(fact)
    }
    /// What handlers read. Whoever stores to it by itself, and not by `store()`, leaves variants in
    /// force that know what was there.
    pub fn cell(&self) -> &A {
        &self.cell
    }
    /// What it is.
    pub fn load(&self) -> A::Value {
        self.cell.get()
    }
    /// Changes it: when this returns, no code runs that knows another value. Not from within a
    /// handler, unless the fact is deferred.
    pub fn store(&self, value: A::Value) {
        if self.load() == value {
            return;
        }
        let write = unsafe { ffi::sartor_begin_write(self.raw.as_ptr()) };
        self.cell.set(value);
        unsafe { ffi::sartor_end_write(write) };
    }
    /// Whether variants may be built on it.
    pub fn holds(&self) -> bool {
        unsafe { ffi::sartor_fact_holds(self.raw.as_ptr()) != 0 }
    }
    /// Waits until it holds; whether it does.
    pub fn wait(&self, at_most: Duration) -> bool {
        unsafe { ffi::sartor_wait_for_fact(self.raw.as_ptr(), at_most.as_secs_f64()) != 0 }
    }
    /// What has become of it, as JSON.
    pub fn figures(&self) -> Result<String, Error> {
        let mut json = null_mut();
        check(unsafe { ffi::sartor_fact_figures(self.raw.as_ptr(), &mut json) })?;
        Ok(unsafe { take_text(json) }.unwrap_or_default())
    }
}

impl<A> Drop for Fact<A> {
    fn drop(&mut self) {
        unsafe { ffi::sartor_drop_fact(self.raw.as_ptr()) }
    }
}
