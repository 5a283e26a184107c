// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C interface of the table; forward.h documents it.

extern crate handlers;

use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::OnceLock;

use handlers::Rule;
use sartor::{bind, Error, Invariant, Runtime};

type Forward = Box<dyn Fn(&[u32], &mut [u16])>;

/// Dropped in this order: first the code, then the data it depends on.
pub struct Table {
    forward: Forward,
    _invariant: Invariant<'static>,
}

/// The rules must outlive the table.
fn open(rules: &'static [Rule]) -> Result<Table, Error> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if RUNTIME.get().is_none() {
        let _ = RUNTIME.set(Runtime::open()?);
    }
    let runtime = RUNTIME.get().expect("it was set");
    let invariant = Invariant::declare_slice(rules)?;
    let forward = bind!(*runtime, |addresses: &[u32], ports: &mut [u16]| {
        handlers::forward(rules, addresses, ports)
    })?;
    forward.wait()?;
    Ok(Table { forward: Box::new(forward.into_call()), _invariant: invariant })
}

/// # Safety
/// As forward.h says, of all of these.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rust_forward(
    rules: *const Rule,
    rule_count: usize,
    addresses: *const u32,
    address_count: usize,
    ports: *mut u16,
) {
    unsafe {
        handlers::forward(
            from_raw_parts(rules, rule_count),
            from_raw_parts(addresses, address_count),
            from_raw_parts_mut(ports, address_count),
        );
    }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rust_table_open(rules: *const Rule, rule_count: usize) -> Option<Box<Table>> {
    match open(unsafe { from_raw_parts(rules, rule_count) }) {
        Ok(table) => Some(Box::new(table)),
        Err(error) => {
            eprintln!("{error}");
            None
        }
    }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rust_table_forward(
    table: &Table,
    addresses: *const u32,
    address_count: usize,
    ports: *mut u16,
) {
    unsafe {
        (table.forward)(from_raw_parts(addresses, address_count), from_raw_parts_mut(ports, address_count));
    }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rust_table_close(table: Option<Box<Table>>) {
    drop(table);
}
