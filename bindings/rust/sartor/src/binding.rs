// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handlers with some arguments bound.

use core::fmt;
use core::marker::PhantomData;
use core::mem;
use core::ops::Deref;
use core::ptr::{null_mut, NonNull};
use std::sync::Arc;
use std::vec::Vec;

use crate::argument::Argument;
use crate::error::{check, Error, ErrorCode};
use crate::ffi;
use crate::handlers;
use crate::report::VariantInfo;
use crate::runtime::{read_json, take_text, Runtime};

/// Code of the library for a handler and its bound arguments; used by `bind!`.
#[doc(hidden)]
#[derive(Debug)]
pub struct RawBinding {
    raw: NonNull<ffi::Binding>,
    function: ffi::Function,
}

unsafe impl Send for RawBinding {}
unsafe impl Sync for RawBinding {}

impl RawBinding {
    /// Called by `bind!`.
    pub fn make(
        runtime: &Runtime,
        native: *const (),
        arguments: &[Argument],
    ) -> Result<Arc<RawBinding>, Error> {
        let name = handlers::name_of(native)?;
        let arguments: Vec<ffi::Argument> = arguments.iter().map(|argument| argument.0).collect();
        let mut raw = null_mut();
        check(unsafe {
            ffi::sartor_bind(runtime.raw(), name.as_ptr(), arguments.as_ptr(), arguments.len(), &mut raw)
        })?;
        let mut made = RawBinding { raw: NonNull::new(raw).expect("it was made"), function: None };
        // If Sartor is off, the native code is called instead.
        let may_be_off = !runtime.is_active();
        match check(unsafe { ffi::sartor_binding_function(raw, &mut made.function) }) {
            Err(error) if !(may_be_off && error.code == ErrorCode::BadBinding) => Err(error),
            _ => Ok(Arc::new(made)),
        }
    }

    /// Has the type of a parameter, in code that is compiled and not executed.
    pub fn value_of<T>(_: PhantomData<T>) -> T {
        unreachable!()
    }
    /// Converts a bound value to the type of its parameter, as a call does.
    pub fn fitted<T>(_: PhantomData<T>, value: T) -> T {
        value
    }

    /// The function that takes the arguments that are not bound; nothing if Sartor is off.
    ///
    /// # Safety
    /// `F` must be the type of the function, which must not be called after the binding has been dropped.
    pub unsafe fn function<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<ffi::Function>()) };
        self.function.map(|function| unsafe { mem::transmute_copy(&function) })
    }
}

impl Drop for RawBinding {
    fn drop(&mut self) {
        // Every caller of the function owns or borrows the binding, so no call is running now.
        unsafe { ffi::sartor_release(self.raw.as_ptr()) }
    }
}

/// A handler with some arguments fixed, made by `bind!`: it is called as a closure is. The variant is
/// compiled in the background, and shared with bindings of equal arguments; until then, and if it cannot be
/// compiled, calls run the native code.
pub struct Binding<C> {
    call: C,
    raw: Arc<RawBinding>,
}

impl<C> Binding<C> {
    /// Called by `bind!`.
    #[doc(hidden)]
    pub fn new(raw: Arc<RawBinding>, call: C) -> Self {
        Binding { call, raw }
    }
    /// Waits until the variant is active. Returns its origin, the invariant memory that became part of the
    /// code, and requests that had no effect. Fails with the reason if it cannot be compiled; then calls go
    /// to the native code. Must not be called within a handler.
    pub fn wait(&self) -> Result<VariantInfo, Error> {
        let mut report = null_mut();
        check(unsafe { ffi::sartor_binding_wait_with_report(self.raw.raw.as_ptr(), &mut report) })?;
        Ok(VariantInfo::read(&read_json(&unsafe { take_text(report) }.unwrap_or_default())?))
    }
    /// True if `wait()` would return at once: the variant is active, or cannot be compiled. Never blocks, so
    /// it may be called within handlers.
    pub fn is_ready(&self) -> bool {
        unsafe { ffi::sartor_binding_ready(self.raw.raw.as_ptr()) != 0 }
    }
    /// The closure alone, which keeps everything alive that it needs.
    pub fn into_call(self) -> C {
        self.call
    }
}

impl<C> Deref for Binding<C> {
    type Target = C;
    fn deref(&self) -> &C {
        &self.call
    }
}

impl<C> fmt::Debug for Binding<C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Binding({:?})", self.raw.raw)
    }
}
