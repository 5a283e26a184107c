// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The runtime.

use core::ffi::{c_char, CStr};
use core::mem;
use core::ptr::{null, null_mut, NonNull};
use std::ffi::CString;
use std::string::{String, ToString};
use std::vec::Vec;

use crate::configuration::Configuration;
use crate::error::{check, Error, ErrorCode};
use crate::explore::{check_guarded, Decision, Objective};
use crate::invariant::Invariant;
use crate::json::Value;
use crate::report::{Statistics, VariantInfo};
use crate::{ffi, handlers};

/// "MAJOR.MINOR.PATCH" of libsartor.
pub fn version() -> &'static str {
    unsafe { CStr::from_ptr(ffi::sartor_version()) }.to_str().unwrap_or("")
}

/// Specializes the handlers of this program or shared library.
///
/// It returns function pointers, which the program may keep and call without limit. Therefore it is not
/// closed when it is dropped, and everything active stays active; a program usually has one runtime.
#[derive(Debug)]
pub struct Runtime {
    raw: NonNull<ffi::Runtime>,
}

// The C interface allows calling every function from any thread.
unsafe impl Send for Runtime {}
unsafe impl Sync for Runtime {}

pub(crate) fn c_text(text: &str) -> Result<CString, Error> {
    CString::new(text)
        .map_err(|_| Error::new(ErrorCode::BadArgument, text, "has a zero byte in it", "leave it out"))
}

/// Takes ownership of a text that the library has returned.
///
/// # Safety
/// `text` must be such a text without another owner, or null.
pub(crate) unsafe fn take_text(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    unsafe { ffi::sartor_free(text) };
    Some(copy)
}

pub(crate) fn read_json(text: &str) -> Result<Value, Error> {
    Value::read(text).ok_or_else(|| {
        Error::new(
            ErrorCode::BadJson,
            text,
            "was returned by libsartor and is not JSON",
            "use this crate with the library that it came with",
        )
    })
}

impl Runtime {
    /// Opens the runtime of the handlers of this program, or of this shared library. It starts a thread that
    /// compiles; another runtime compiles everything again. With `SARTOR=off` in the environment, or without
    /// a compiler, it also opens, and handlers are the native code (`is_active()`).
    ///
    /// Fails with `NoHandlerModule` if no file with handlers is linked, with `BadBitcode`, `WrongLlvmVersion`
    /// or `WrongTarget` if they were compiled for another library or machine, and with `ConflictingLabel` if
    /// points of two files contradict each other.
    pub fn open() -> Result<Runtime, Error> {
        Runtime::open_with("{}")
    }
    /// The same with options, as JSON: the fields of `sartor::Options` by name, durations in seconds, e.g.
    /// `{"compile_timeout": 120, "event_log": "/tmp/log"}`.
    pub fn open_with(options: &str) -> Result<Runtime, Error> {
        let options = c_text(options)?;
        let (begin, end) = handlers::modules();
        let mut raw = null_mut();
        check(unsafe { ffi::sartor_open_modules_with(begin, end, options.as_ptr(), &mut raw) })?;
        Ok(Runtime { raw: NonNull::new(raw).expect("it was opened") })
    }
    /// Closes it, and frees its variants.
    ///
    /// # Safety
    /// No function that `handler()` has returned may be called any more.
    pub unsafe fn close(self) {
        unsafe { ffi::sartor_close(self.raw()) }
    }

    pub(crate) fn raw(&self) -> *mut ffi::Runtime {
        self.raw.as_ptr()
    }

    /// A function of the same type as the handler, which calls the active variant: `runtime.handler(lookup as
    /// fn(&Table, u32) -> u32)`.
    pub fn handler<F: Copy>(&self, native: F) -> Result<F, Error> {
        const {
            assert!(
                size_of::<F>() == size_of::<*const ()>(),
                "sartor: name the handler's type: runtime.handler(lookup as fn(u32) -> u32)"
            );
        }
        // A value of this size that equals a handler's address is a function pointer. The entry is code of
        // the same type.
        let address = unsafe { mem::transmute_copy::<F, *const ()>(&native) };
        let name = handlers::name_of(address)?;
        let mut entry: ffi::Function = None;
        check(unsafe { ffi::sartor_handler(self.raw(), name.as_ptr(), &mut entry) })?;
        Ok(unsafe { mem::transmute_copy::<ffi::Function, F>(&entry) })
    }

    /// Activates a configuration. Returns its variants once they are active, one for each handler that has a
    /// point that is set; none if Sartor is off.
    pub fn specialize(&self, configuration: &Configuration) -> Result<Vec<VariantInfo>, Error> {
        let configuration = c_text(&configuration.to_string())?;
        let mut report = null_mut();
        check(unsafe {
            ffi::sartor_specialize_with_report(self.raw(), configuration.as_ptr(), &mut report)
        })?;
        let report = read_json(&unsafe { take_text(report) }.unwrap_or_default())?;
        Ok(report.elements().iter().map(VariantInfo::read).collect())
    }
    /// The same in the background; after a failure, which goes to the event log, the active variants stay
    /// active.
    pub fn specialize_in_background(&self, configuration: &Configuration) -> Result<(), Error> {
        let configuration = c_text(&configuration.to_string())?;
        check(unsafe { ffi::sartor_specialize_async(self.raw(), configuration.as_ptr()) })
    }

    /// Counters since it was opened, and its current memory. Does not wait for compilations; may be called
    /// from any thread.
    pub fn statistics(&self) -> Result<Statistics, Error> {
        let mut json = null_mut();
        check(unsafe { ffi::sartor_statistics(self.raw(), &mut json) })?;
        Ok(Statistics::read(&read_json(&unsafe { take_text(json) }.unwrap_or_default())?))
    }
    /// True if handlers are specialized: false with `SARTOR=off`, and without a compiler. Then handlers are
    /// the native code.
    pub fn is_active(&self) -> bool {
        unsafe { ffi::sartor_active(self.raw()) != 0 }
    }

    /// The points and the constraints between them, as JSON (docs/guides/points.md).
    pub fn space(&self) -> Result<Value, Error> {
        let mut json = null_mut();
        check(unsafe { ffi::sartor_space(self.raw(), &mut json) })?;
        read_json(&unsafe { take_text(json) }.unwrap_or_default())
    }
    /// Replaces the constraints, given as JSON in the format of `sartor_constrain()`.
    pub fn constrain(&self, constraints: &str) -> Result<(), Error> {
        let constraints = c_text(constraints)?;
        check(unsafe { ffi::sartor_constrain(self.raw(), constraints.as_ptr()) })
    }

    /// Counts the values seen at points, every time (1) or once in so many times on average. Replaces the
    /// previous instrumentation; an empty `every` switches it off.
    pub fn instrument<'a>(&self, every: impl IntoIterator<Item = (&'a str, u32)>) -> Result<(), Error> {
        let labels = every.into_iter().fold(Configuration::new(), |all, (label, n)| all.set(label, n));
        let every = c_text(&labels.to_string())?;
        check(unsafe { ffi::sartor_instrument(self.raw(), every.as_ptr()) })
    }
    /// The values seen, as JSON (docs/guides/profiles.md).
    pub fn profile(&self) -> Result<Value, Error> {
        let mut json = null_mut();
        check(unsafe { ffi::sartor_profile(self.raw(), &mut json) })?;
        read_json(&unsafe { take_text(json) }.unwrap_or_default())
    }
    /// Adds a profile that this program recorded elsewhere or earlier.
    pub fn load_profile(&self, profile: &Value) -> Result<(), Error> {
        let profile = c_text(&profile.to_string())?;
        check(unsafe { ffi::sartor_load_profile(self.raw(), profile.as_ptr()) })
    }
    /// Ties a fast path to an invariant: its results are valid as long as the invariant is.
    pub fn tie(&self, label: &str, invariant: &Invariant<'_>) -> Result<(), Error> {
        let label = c_text(label)?;
        check(unsafe { ffi::sartor_tie(self.raw(), label.as_ptr(), invariant.raw()) })
    }

    /// Runs one exploration on this thread, and activates its decision. `options` are JSON, in the format of
    /// `sartor_explore()`: `{"sample_time":0.002,"most_trials":20}`.
    pub fn explore(&self, objective: &Objective<'_>, options: &str) -> Result<Decision, Error> {
        check_guarded(options)?;
        unsafe { self.explore_unguarded(objective, options) }
    }
    /// The same with the option `unguarded`: labels of points that are set without a guard.
    ///
    /// # Safety
    /// The program must be correct with each choice of such a point, whatever value it passes there.
    pub unsafe fn explore_unguarded(
        &self,
        objective: &Objective<'_>,
        options: &str,
    ) -> Result<Decision, Error> {
        let options = c_text(options)?;
        let mut decision = null_mut();
        check(unsafe {
            ffi::sartor_explore(self.raw(), &objective.raw(), options.as_ptr(), null(), &mut decision)
        })?;
        Decision::read(&unsafe { take_text(decision) }.unwrap_or_default())
    }
}
