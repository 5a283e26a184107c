// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handlers, and the items of the program that they use.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

pub extern crate handlers;
pub extern crate machine;
pub extern crate with_std;

/// Handlers refer to it by its name.
#[unsafe(no_mangle)]
pub static PROGRAM_FACTOR: AtomicU32 = AtomicU32::new(3);

#[unsafe(no_mangle)]
pub extern "C" fn program_scale(value: u32) -> u32 {
    value * PROGRAM_FACTOR.load(Ordering::Relaxed)
}

/// Sum of all register values seen by look_at_registers().
pub static SEEN: AtomicI64 = AtomicI64::new(0);

/// # Safety
/// `registers` must have as many registers as a machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn look_at_registers(registers: *mut i64) {
    let registers = unsafe { std::slice::from_raw_parts_mut(registers, machine::REGISTERS) };
    for register in registers.iter() {
        let seen = SEEN.load(Ordering::Relaxed);
        SEEN.store(seen.wrapping_mul(31).wrapping_add(*register), Ordering::Relaxed);
    }
    registers[3] ^= 0x55;
}

/// A generator with a reproducible sequence (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
