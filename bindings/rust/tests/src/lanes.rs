// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The only handler of a program that explores.
#![no_std]

use sartor::{handler, point_enum};

#[handler]
pub fn work(values: &[u32], lanes: usize) -> u32 {
    let lanes = point_enum!("lanes", lanes, 1, 4);
    let mut sums = [0u32; 4];
    for chunk in values.chunks_exact(lanes) {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum = sum.wrapping_add(value.wrapping_mul(*value));
        }
    }
    sums.iter().fold(0, |all, sum| all.wrapping_add(*sum))
}
