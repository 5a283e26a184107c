// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The hot code of a packet filter.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use sartor::{fast_path, handler, point_enum, Constant};

#[derive(Clone, Copy, Constant)]
pub struct Rule {
    pub network: u32,
    pub mask: u32,
    pub port: u16,
}

/// Sums every `stride`-th value.
#[handler]
pub fn sum(values: &[u32], stride: usize) -> u64 {
    let stride = point_enum!("stride", stride, 1, 2, 4);
    values.iter().step_by(stride).map(|&value| u64::from(value)).sum()
}

fn find(rules: &[Rule; 3], address: u32) -> u16 {
    rules.iter().find(|rule| address & rule.mask == rule.network).map_or(0, |rule| rule.port)
}

/// Returns the port for a packet, or 0 if the packet is longer than the limit.
#[handler]
pub fn port(rules: &[Rule], limit: &AtomicU32, address: u32, length: u32) -> u16 {
    if length > limit.load(Ordering::Relaxed) {
        return 0;
    }
    rules.iter().find(|rule| address & rule.mask == rule.network).map_or(0, |rule| rule.port)
}

/// Returns the port for a packet by a fast path, which remembers frequent results.
#[handler]
pub fn popular_port(rules: &[Rule; 3], address: u32) -> u16 {
    fast_path!("port", find, rules, address)
}
