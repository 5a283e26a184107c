// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![doc = include_str!("../README.md")]
#![no_std]
extern crate alloc;
#[cfg(feature = "runtime")]
extern crate std;

mod constant;
mod macros;
pub mod points;
pub mod row;

#[doc(hidden)]
pub use constant::add_all;
pub use constant::{AddPart, Constant};
pub use points::{Choice, Number, Version};
pub use row::{Form, Parameter};
pub use sartor_macros::{fold, handler, Choice, Constant};

#[cfg(feature = "runtime")]
mod argument;
#[cfg(feature = "runtime")]
mod binding;
#[cfg(feature = "runtime")]
mod configuration;
#[cfg(feature = "runtime")]
mod error;
#[cfg(feature = "runtime")]
mod explore;
#[cfg(feature = "runtime")]
#[doc(hidden)]
pub mod ffi;
#[cfg(feature = "runtime")]
mod handlers;
#[cfg(feature = "runtime")]
mod invariant;
#[cfg(feature = "runtime")]
pub mod json;
#[cfg(feature = "runtime")]
mod quasi_invariant;
#[cfg(feature = "runtime")]
mod report;
#[cfg(feature = "runtime")]
mod runtime;
#[cfg(feature = "runtime")]
mod unseen;

#[cfg(feature = "runtime")]
pub use {
    argument::{Argument, Bound},
    binding::{Binding, RawBinding},
    configuration::{Configuration, Setting},
    error::{Error, ErrorCode},
    explore::{Decision, Explorer, Objective},
    invariant::Invariant,
    quasi_invariant::{QuasiInvariant, QuasiInvariantOptions},
    report::{
        FoldReport, Followed, InvariantReport, LoopReport, Remark, RemarkCode, Statistics, VariantInfo,
        VariantOrigin,
    },
    runtime::{version, Runtime},
    sartor_macros::bind,
};
