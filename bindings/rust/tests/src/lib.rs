// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handlers, and what the rest of the program has that they use.

use std::sync::atomic::{AtomicU32, Ordering};

pub extern crate handlers;
pub extern crate with_std;

/// What handlers refer to by its name.
#[unsafe(no_mangle)]
pub static PROGRAM_FACTOR: AtomicU32 = AtomicU32::new(3);

#[unsafe(no_mangle)]
pub extern "C" fn program_scale(value: u32) -> u32 {
    value * PROGRAM_FACTOR.load(Ordering::Relaxed)
}
