// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handlers that use the standard library, another crate, and modules of their own.

mod tables_of_mine;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use sartor::{handler, point_assume, point_enum, point_generic, point_range};
pub use tables_of_mine::{Dense, count_in_dense};

pub static DROPPED: AtomicU64 = AtomicU64::new(0);

struct Counted;
impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

/// Panics if `at` is too large, and unwinds through frames with values to drop.
#[handler]
pub fn element(values: &[u32], at: usize, times: u32) -> u32 {
    let _counted = Counted;
    let times = point_enum!("times", times, 1, 2, 3);
    let text = format!("{}", values[at]);
    (0..times).map(|_| text.parse::<u32>().unwrap()).sum()
}

#[handler(direct)]
pub fn direct_element(values: &[u32], at: usize) -> u32 {
    let _counted = Counted;
    values[at]
}

#[handler]
pub fn caught(values: &[u32], at: usize) -> u32 {
    let at = point_generic!("caught", at);
    catch_unwind(AssertUnwindSafe(|| values[at])).unwrap_or(u32::MAX)
}

/// Generic: each crate that calls it has its own instance.
pub fn twice<T: Into<u32>>(value: T) -> u32 {
    point_enum!("generic", value.into(), 1, 2) * 2
}

#[handler]
pub fn twice_of_mine(value: u16) -> u32 {
    twice(value)
}

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

pub fn last() -> u32 {
    LAST.get()
}

#[handler]
pub fn remember(value: u32) -> u32 {
    let value = point_generic!("remember", value);
    LAST.replace(value)
}

trait Shape {
    fn area(&self) -> f64;
}
struct Square(f64);
struct Circle(f64);
impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}
impl Shape for Circle {
    fn area(&self) -> f64 {
        self.0 * self.0 * 3.0
    }
}

#[handler]
pub fn area(kind: u32, size: f64) -> f64 {
    let kind = point_enum!("shape", kind, 0, 1);
    let shape: Box<dyn Shape> = if kind == 0 { Box::new(Square(size)) } else { Box::new(Circle(size)) };
    shape.area()
}

/// Code that is difficult for guards: values to be dropped, results in memory, early returns, panics.
#[handler]
pub fn mixed(values: &[i32], mode: u8, limit: usize) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let limit = point_generic!("mixed_limit", limit);
    for (i, value) in values.iter().enumerate() {
        let mode = point_enum!("mixed_mode", mode.wrapping_add((value & 3) as u8) % 5, 0, 1, 2, 3);
        let text = Box::new(format!("{value}:{mode}"));
        let scaled = point_range!("mixed_value", value.wrapping_mul(3), -30, 30);
        if point_assume!("mixed_even", value % 2 == 0) {
            out.push(format!("{text}{scaled}"));
            continue;
        }
        match mode {
            0 => out.push(text.repeat(2)),
            1 if i > limit => return Err(*text),
            1 => drop(out.pop()),
            2 => out.extend(text.split(':').map(str::to_owned)),
            _ if scaled == 39 => panic!("unlucky at {i}: {out:?}"),
            _ => out.insert(0, *text),
        }
    }
    Ok(out)
}
