// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handlers without the standard library.
#![no_std]

extern crate alloc;

use alloc::boxed::Box;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use sartor::{assert_const, fast_path, fold, handler, point_assume, point_enum, point_generic, point_range};

#[handler]
pub fn sum(values: &[u32], stride: usize) -> u64 {
    let stride = point_enum!("stride", stride, 1, 2, 4);
    values.iter().step_by(stride).map(|&value| u64::from(value)).sum()
}

#[derive(Clone, Copy, PartialEq, Debug, sartor::Choice)]
pub enum Mode {
    Add,
    Multiply,
    Halve,
}

/// A point of each type.
#[handler]
pub fn all_kinds(mode: u32, signed: i32, factor: f32, wide: i64, is_on: bool, letter: char) -> f64 {
    let mode = match mode {
        0 => Mode::Add,
        1 => Mode::Multiply,
        _ => Mode::Halve,
    };
    let mode = point_enum!("mode", mode, Mode::Add, Mode::Multiply, Mode::Halve);
    let signed = point_range!("signed", signed, -8, 8);
    let factor = point_enum!("factor", factor, 0.5, 2.0);
    let wide = point_generic!("wide", wide);
    let is_on = point_assume!("is_on", is_on);
    let letter = point_enum!("letter", letter, 'a', 'ß');
    let value = f64::from(signed) * f64::from(factor) + wide as f64 + f64::from(letter as u32);
    let value = if is_on { value } else { -value };
    match mode {
        Mode::Add => value + 1.0,
        Mode::Multiply => value * 3.0,
        Mode::Halve => value / 2.0,
    }
}

static CALLS: AtomicU64 = AtomicU64::new(0);

pub fn calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

#[handler]
pub fn counted(step: u64) {
    let step = point_generic!("step", step);
    CALLS.fetch_add(step, Ordering::Relaxed);
}

unsafe extern "C" {
    static PROGRAM_FACTOR: AtomicU32;
    safe fn program_scale(value: u32) -> u32;
}

#[handler]
pub fn scaled(value: u32) -> u32 {
    let value = point_generic!("scaled", value);
    program_scale(value) + unsafe { PROGRAM_FACTOR.load(Ordering::Relaxed) }
}

/// A handler that is not compiled for this target.
#[handler]
#[cfg(target_os = "none")]
pub fn elsewhere(_value: u32) {}

/// A handler with a named lifetime.
#[handler]
pub(crate) fn longest<'a>(one: &'a [u8], other: &'a [u8], bias: Option<&'a usize>) -> &'a [u8] {
    let bias = point_generic!("bias", bias.copied().unwrap_or(0));
    if one.len() + bias >= other.len() {
        one
    } else {
        other
    }
}

/// The handler's own name is private to this crate.
pub const LONGEST: for<'a> fn(&'a [u8], &'a [u8], Option<&'a usize>) -> &'a [u8] = longest;

#[handler(direct)]
pub fn direct(value: u32) -> u32 {
    let value = point_enum!("direct", value, 1, 2);
    (0..value).map(|i| i * i + 7).sum()
}

/// A result that is returned by value and is too large for registers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    pub sum: u64,
    pub product: u64,
    pub values: [u32; 4],
}

#[handler]
pub fn outcome(a: u32, b: u32) -> Outcome {
    let a = point_generic!("outcome", a);
    Outcome { sum: u64::from(a) + u64::from(b), product: u64::from(a) * u64::from(b), values: [a, b, a, b] }
}

#[derive(Clone, Copy, PartialEq, sartor::Constant)]
pub struct Rule {
    pub network: u32,
    pub mask: u32,
    pub port: u32,
}

/// All loads must fold, otherwise the variant is refused.
#[handler]
pub fn first_port(rules: &[Rule], address: u32) -> u32 {
    assert_const!(rules.len());
    for rule in rules {
        assert_const!(rule.port);
        if address & rule.mask == rule.network {
            return rule.port;
        }
    }
    0
}

/// An invariant type with memory that it owns.
#[derive(sartor::Constant)]
pub struct Table {
    pub rules: Box<[Rule]>,
    pub missing: u32,
}

#[handler]
pub fn port_in(table: &Table, address: u32) -> u32 {
    assert_const!(table.rules.len());
    for rule in &table.rules {
        assert_const!(rule.port);
        if address & rule.mask == rule.network {
            return rule.port;
        }
    }
    table.missing
}

#[handler]
pub fn match_port(rules: &[Rule], address: u32, missing: u32) -> u32 {
    for rule in rules {
        if address & rule.mask == rule.network {
            return rule.port;
        }
    }
    missing
}

fn look_up(table: &[u32; 64], key: u32) -> u32 {
    table[(key % 100) as usize] // panics for some
}

#[handler]
pub fn remembered(table: &[u32; 64], key: u32) -> u32 {
    fast_path!("remembered", look_up, table, key) + 1
}

#[fold]
pub fn digest(values: &[u32; 4]) -> u32 {
    values.iter().fold(7, |all, value| all * 31 + value)
}

/// The variant is refused if the call is not folded.
#[handler]
pub fn digested(values: &[u32; 4], more: u32) -> u32 {
    let digest = digest(values);
    assert_const!(digest);
    digest + more
}

#[handler]
pub fn not_constant(value: u32, other: u32) -> u32 {
    let value = point_enum!("not_constant", value, 1, 2);
    assert_const!(value + other);
    value + other
}

/// A limit that seldom changes.
#[handler]
pub fn limited(limit: &AtomicU32, value: u32) -> u32 {
    value.min(limit.load(Ordering::Relaxed))
}
