// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The hot code, equivalent to forward.c.
#![no_std]

use sartor::handler;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Rule {
    pub network: u32,
    pub mask: u32,
    pub port: u16,
}

fn port_of(rules: &[Rule], address: u32) -> u16 {
    for rule in rules {
        if address & rule.mask == rule.network {
            return rule.port;
        }
    }
    0
}

#[handler]
pub fn forward(rules: &[Rule], addresses: &[u32], ports: &mut [u16]) {
    for (port, address) in ports.iter_mut().zip(addresses) {
        *port = port_of(rules, *address);
    }
}
