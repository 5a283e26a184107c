// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Somebody's generic code, which knows nothing of Sartor.
#![no_std]

/// What can be looked for in.
pub trait Table {
    fn width(&self) -> usize;
    fn at(&self, row: usize, column: usize) -> u32;
}

/// How often `value` is in the first `rows` rows.
pub fn count<T: Table>(table: &T, rows: usize, value: u32) -> usize {
    (0..rows).map(|row| (0..table.width()).filter(|&column| table.at(row, column) == value).count()).sum()
}
