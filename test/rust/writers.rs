// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stores to a C struct through a raw pointer, in each form that Rust has.
#![no_std]

use core::ptr::{addr_of_mut, copy_nonoverlapping, write_bytes, write_volatile};
use core::sync::atomic::{AtomicI32, Ordering};

#[panic_handler]
fn end(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    a: i64,
    flag: i32,
    bits: u32,
}

/// Changes the field in the way that `way` selects.
///
/// # Safety
///
/// `config` must point to a valid `Config`.
#[no_mangle]
pub unsafe extern "C" fn rust_writes(way: i32, config: *mut Config) {
    let flag = addr_of_mut!((*config).flag);
    match way {
        0 => (*config).flag = !(*config).flag,
        1 => (*config).flag ^= 1,
        2 => {
            (*flag.cast::<AtomicI32>()).fetch_add(1, Ordering::SeqCst);
        }
        3 => {
            (*flag.cast::<AtomicI32>()).swap(!(*config).flag, Ordering::SeqCst);
        }
        4 => copy_nonoverlapping(&!(*config).flag, flag, 1),
        5 => write_bytes(flag, (*config).flag as u8 ^ 1, 1),
        6 => *config = Config { a: 1, flag: !(*config).flag, bits: 3 },
        7 => {
            core::mem::replace(&mut *flag, !(*config).flag);
        }
        8 => write_volatile(flag, !(*config).flag),
        9 => core::arch::asm!("not dword ptr [{0}]", in(reg) flag),
        _ => {
            let mut other = Config { a: 2, flag: !(*config).flag, bits: 4 };
            core::mem::swap(&mut *config, &mut other);
        }
    }
}
/// # Safety
///
/// `flag` must point to a valid number.
#[no_mangle]
pub unsafe extern "C" fn rust_sets(flag: *mut i32) {
    *flag = 3;
}
