// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Exploring.

use core::ffi::{c_double, c_void};
use core::marker::PhantomData;
use core::ptr::{null, null_mut, NonNull};
use std::boxed::Box;
use std::ffi::CString;
use std::string::String;
use std::sync::Mutex;
use std::vec::Vec;

use crate::configuration::Configuration;
use crate::error::{check, Error, ErrorCode};
use crate::ffi;
use crate::handlers;
use crate::json::Value;
use crate::runtime::{c_text, read_json, take_text, Runtime};

type Read<'a> = Box<dyn FnMut() -> f64 + Send + 'a>;

/// The number that measures the performance of the program.
pub struct Objective<'a> {
    kind: i32,
    lower_is_better: bool,
    // Boxed twice, because a closure's reference is two words and C takes one pointer; read by one thread at
    // a time.
    read: Option<Box<Mutex<Read<'a>>>>,
    handler: Option<&'static core::ffi::CStr>,
    name: CString,
    unit: CString,
}

impl<'a> Objective<'a> {
    fn reading(kind: i32, read: impl FnMut() -> f64 + Send + 'a) -> Self {
        Objective {
            kind,
            lower_is_better: false,
            read: Some(Box::new(Mutex::new(Box::new(read)))),
            handler: None,
            name: CString::default(),
            unit: CString::default(),
        }
    }
    /// A count that only grows, e.g. of requests: the objective is its rate.
    pub fn counter(read: impl FnMut() -> f64 + Send + 'a) -> Self {
        Objective::reading(ffi::COUNTER, read)
    }
    /// A number that the program computes itself.
    pub fn gauge(read: impl FnMut() -> f64 + Send + 'a) -> Self {
        Objective::reading(ffi::GAUGE, read)
    }
    /// The ticks of a call of a handler: `Objective::call(lookup as fn(u32) -> u32)`.
    pub fn call<F: Copy>(native: F) -> Result<Self, Error> {
        const {
            assert!(
                size_of::<F>() == size_of::<*const ()>(),
                "sartor: name the handler's type: Objective::call(lookup as fn(u32) -> u32)"
            );
        }
        let address = unsafe { core::mem::transmute_copy::<F, *const ()>(&native) };
        Ok(Objective {
            read: None,
            handler: Some(handlers::name_of(address)?),
            lower_is_better: true,
            ..Objective::reading(ffi::CALL, || 0.0)
        })
    }
    /// Makes lower values better.
    pub fn lower_is_better(mut self) -> Self {
        self.lower_is_better = true;
        self
    }
    /// Sets name and unit.
    pub fn named(mut self, name: &str, unit: &str) -> Result<Self, Error> {
        self.name = c_text(name)?;
        self.unit = c_text(unit)?;
        Ok(self)
    }

    pub(crate) fn raw(&self) -> ffi::Objective {
        let text = |text: &CString| if text.is_empty() { null() } else { text.as_ptr() };
        let user = self
            .read
            .as_deref()
            .map_or(null_mut(), |read| (read as *const Mutex<Read<'a>>).cast_mut().cast::<c_void>());
        ffi::Objective {
            kind: self.kind,
            lower_is_better: self.lower_is_better.into(),
            read: self.read.as_ref().map(|_| read_one as unsafe extern "C" fn(_) -> _),
            per: None,
            cost: None,
            user,
            handler: self.handler.map_or(null(), |name| name.as_ptr()),
            name: text(&self.name),
            unit: text(&self.unit),
            percent: 0.0,
            histogram: null(),
            bounds: null(),
            bound_count: 0,
            counts: None,
            subject_to: null(),
            subject_to_count: 0,
            weighted: null(),
            weighted_count: 0,
        }
    }
}

// A panic ends the process here: there is no valid value to return.
unsafe extern "C" fn read_one(user: *mut c_void) -> c_double {
    let read = unsafe { &*user.cast::<Mutex<Read<'_>>>() };
    let mut read = read.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    (*read)()
}

/// Refuses options that remove guards, which is unsafe.
pub(crate) fn check_guarded(options: &str) -> Result<(), Error> {
    let read = Value::read(options).ok_or_else(|| {
        Error::new(
            ErrorCode::BadJson,
            options,
            "is not JSON",
            "write an object, such as {\"most_trials\":20}",
        )
    })?;
    let unguarded =
        read.members().find(|(name, value)| *name == "unguarded" && **value != Value::List(Vec::new()));
    match unguarded {
        Some((name, _)) => Err(Error::new(
            ErrorCode::BadArgument,
            name,
            "removes guards, which is unsafe",
            "call explore_unguarded() or start_unguarded()",
        )),
        None => Ok(()),
    }
}

/// Result of an exploration.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The active configuration.
    pub configuration: Configuration,
    /// The objective under this configuration, as far as it was measured.
    pub mean: Option<f64>,
    /// Lower end of the interval that contains it.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// The whole result, as JSON.
    pub report: String,
}

impl Decision {
    pub(crate) fn read(text: &str) -> Result<Decision, Error> {
        let report = read_json(text)?;
        let number = |name| report.get(name).and_then(Value::number);
        Ok(Decision {
            configuration: Configuration::of_text(report.get("configuration").unwrap_or(&Value::Null)),
            mean: number("mean"),
            low: number("low"),
            high: number("high"),
            report: text.into(),
        })
    }
}

/// Explores and detects changes in the background, until it is dropped. The decision stays active.
#[must_use = "exploring ends when this is dropped"]
pub struct Explorer<'a> {
    raw: NonNull<ffi::Explorer>,
    runtime: PhantomData<&'a Runtime>,
    // `'static`, because the thread that reads it continues even if this object is leaked (`mem::forget`).
    _objective: Objective<'static>,
}

unsafe impl Send for Explorer<'_> {}

impl<'a> Explorer<'a> {
    /// Starts exploring; `options` as for `Runtime::explore()`.
    pub fn start(
        runtime: &'a Runtime,
        objective: Objective<'static>,
        options: &str,
    ) -> Result<Explorer<'a>, Error> {
        check_guarded(options)?;
        unsafe { Explorer::start_unguarded(runtime, objective, options) }
    }
    /// The same with the option `unguarded`: labels of points that are set without a guard.
    ///
    /// # Safety
    /// See `Runtime::explore_unguarded()`.
    pub unsafe fn start_unguarded(
        runtime: &'a Runtime,
        objective: Objective<'static>,
        options: &str,
    ) -> Result<Explorer<'a>, Error> {
        let options = c_text(options)?;
        let mut raw = null_mut();
        check(unsafe {
            ffi::sartor_explorer_start(runtime.raw(), &objective.raw(), options.as_ptr(), null(), &mut raw)
        })?;
        let raw = NonNull::new(raw).expect("it was started");
        Ok(Explorer { raw, runtime: PhantomData, _objective: objective })
    }
    /// The last decision; nothing before the first.
    pub fn decision(&self) -> Result<Option<Decision>, Error> {
        let mut text = null_mut();
        check(unsafe { ffi::sartor_explorer_decision(self.raw.as_ptr(), &mut text) })?;
        unsafe { take_text(text) }.map(|text| Decision::read(&text)).transpose()
    }
    /// Stops after the current sample.
    pub fn stop(&self) -> Result<(), Error> {
        check(unsafe { ffi::sartor_explorer_stop(self.raw.as_ptr()) })
    }
}

impl Drop for Explorer<'_> {
    fn drop(&mut self) {
        unsafe { ffi::sartor_explorer_free(self.raw.as_ptr()) }
    }
}
