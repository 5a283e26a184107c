// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Generic code of a third party, which does not use Sartor.
#![no_std]

/// A table that can be searched.
pub trait Table {
    fn width(&self) -> usize;
    fn at(&self, row: usize, column: usize) -> u32;
}

/// Number of times that `value` is in the first `rows` rows.
pub fn count<T: Table>(table: &T, rows: usize, value: u32) -> usize {
    (0..rows).map(|row| (0..table.width()).filter(|&column| table.at(row, column) == value).count()).sum()
}
