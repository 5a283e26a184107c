// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handlers with some arguments bound.

use core::fmt;
use core::mem;
use core::ops::Deref;
use core::ptr::{null_mut, NonNull};
use std::sync::Arc;
use std::vec::Vec;

use crate::argument::Argument;
use crate::error::{check, Error, ErrorCode};
use crate::ffi;
use crate::handlers;
use crate::runtime::{read_json, take_text, Runtime};
use crate::told::VariantInfo;

/// Code of the library's for a handler and its bound arguments; what `bind!` needs.
#[doc(hidden)]
#[derive(Debug)]
pub struct RawBinding {
    raw: NonNull<ffi::Binding>,
    function: ffi::Function,
}

unsafe impl Send for RawBinding {}
unsafe impl Sync for RawBinding {}

impl RawBinding {
    /// By `bind!`.
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
        match check(unsafe { ffi::sartor_binding_function(raw, &mut made.function) }) {
            Err(error) if !is_off(&error) => Err(error),
            _ => Ok(Arc::new(made)),
        }
    }

    /// What takes the arguments that are not bound; nothing where Sartor is off.
    ///
    /// # Safety
    /// `F` is its type, and it is not called when the binding is gone.
    pub unsafe fn function<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<ffi::Function>()) };
        self.function.map(|function| unsafe { mem::transmute_copy(&function) })
    }
}

// Then the native code does what it would do without Sartor.
fn is_off(error: &Error) -> bool {
    error.code == ErrorCode::BadBinding && error.message.contains("while Sartor is off")
}

impl Drop for RawBinding {
    fn drop(&mut self) {
        // Whoever calls the function owns the binding, or has borrowed it.
        unsafe { ffi::sartor_release(self.raw.as_ptr()) }
    }
}

/// A handler with some arguments fixed, made by `bind!`: it is called as a closure is. The variant is
/// made in the background, and shared with bindings of equal arguments; until then, calls go to what
/// is known of the handler.
pub struct Binding<C> {
    call: C,
    raw: Arc<RawBinding>,
}

impl<C> Binding<C> {
    /// By `bind!`.
    #[doc(hidden)]
    pub fn new(raw: Arc<RawBinding>, call: C) -> Self {
        Binding { call, raw }
    }
    /// Waits until the variant is active, and returns what it was made of, what of promised memory
    /// became part of the code, and what was asked for in vain. Fails with the reason why it cannot be
    /// made; calls go to the native code then. Must not be called within a handler.
    pub fn wait(&self) -> Result<VariantInfo, Error> {
        let mut told = null_mut();
        check(unsafe { ffi::sartor_binding_wait_and_tell(self.raw.raw.as_ptr(), &mut told) })?;
        Ok(VariantInfo::read(&read_json(&unsafe { take_text(told) }.unwrap_or_default())?))
    }
    /// Whether `wait()` has nothing to wait for any more: the variant is in force, or cannot be
    /// made. Waits for nobody, so it may be asked within handlers.
    pub fn is_ready(&self) -> bool {
        unsafe { ffi::sartor_binding_ready(self.raw.raw.as_ptr()) != 0 }
    }
    /// The closure alone, which keeps all that it needs.
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
