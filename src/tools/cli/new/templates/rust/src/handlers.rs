//! The hot code of the program. This file becomes a crate.
#![no_std]

use sartor::{handler, point_enum};

/// Evaluates a polynomial at `x`; the first of `count` coefficients is the constant term.
#[handler]
pub fn polynomial(coefficients: &[i64], count: usize, x: i64) -> i64 {
    // A point: usually 2, 4 or 8. With other values, a variant's guard fails and this code runs.
    let terms = point_enum!("terms", count, 2, 4, 8);
    coefficients[..terms].iter().rev().fold(0, |sum, &each| sum * x + each)
}
