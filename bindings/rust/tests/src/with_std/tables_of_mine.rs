// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Generic code of another crate, for a type of this one.

use sartor::{handler, point_enum};
use tables::{Table, count};

pub struct Dense {
    pub width: usize,
    pub cells: Vec<u32>,
}

impl Table for Dense {
    fn width(&self) -> usize {
        point_enum!("width", self.width, 2, 4)
    }
    fn at(&self, row: usize, column: usize) -> u32 {
        self.cells[row * self.width + column]
    }
}

#[handler]
pub fn count_in_dense(table: &Dense, rows: usize, value: u32) -> usize {
    count(table, rows, value)
}
