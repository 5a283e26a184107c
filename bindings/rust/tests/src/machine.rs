// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A machine with registers in memory, whose programs may return to saved places.
#![no_std]

use sartor::{assert_const, handler, is_constant, local, one_of, publish};

pub const REGISTERS: usize = 8;

#[derive(Clone, Copy, PartialEq, Debug, sartor::Constant)]
#[repr(u8)]
pub enum Operation {
    Load,
    Add,
    Multiply,
    /// Jumps to `to` if the register is odd.
    JumpIfOdd,
    /// Calls a function that reads all registers and changes one.
    Look,
    /// Panics if the register does not hold the number of a register.
    Indexed,
    /// Saves the place at which `Fail` continues.
    Try,
    Fail,
    Halt,
}

#[derive(Clone, Copy, PartialEq, Debug, sartor::Constant)]
pub struct Instruction {
    pub operation: Operation,
    pub a: u8,
    pub b: u8,
    pub to: u32,
}

unsafe extern "C" {
    safe fn look_at_registers(registers: *mut i64);
}

fn slice<'a>(registers: *mut i64) -> &'a mut [i64] {
    unsafe { core::slice::from_raw_parts_mut(registers, REGISTERS) }
}

/// Places at which a program continues after `Fail`.
#[derive(Clone, Copy, Default)]
struct Ways {
    places: [u32; 4],
    depth: usize,
}

/// Runs at most `fuel` instructions.
#[handler]
pub fn run(code: &[Instruction], memory: *mut i64, fuel: u32) -> i64 {
    interpret::<true>(code, memory, fuel, 0, Ways::default())
}

/// Continues at a place that a variant does not know.
#[cold]
#[inline(never)]
fn go_on(code: &[Instruction], memory: *mut i64, fuel: u32, at: usize, ways: &Ways) -> i64 {
    interpret::<false>(code, memory, fuel, at, *ways)
}

/// The interpreter: with marks, as a variant follows it, or without, for native code only.
#[inline(always)]
fn interpret<const IS_MARKED: bool>(
    code: &[Instruction],
    memory: *mut i64,
    mut fuel: u32,
    mut at: usize,
    mut ways: Ways,
) -> i64 {
    let own = |registers| if IS_MARKED { unsafe { local!(registers) } } else { registers };
    let mut registers = own(slice(memory));
    loop {
        let i = code[at];
        if IS_MARKED {
            assert_const!(i.operation as u8);
        }
        let (a, b) = (usize::from(i.a), usize::from(i.b));
        if fuel == 0 {
            return -1;
        }
        fuel -= 1;
        at += 1;
        match i.operation {
            Operation::Load => registers[a] = i64::from(i.to),
            Operation::Add => registers[a] = registers[a].wrapping_add(registers[b]),
            Operation::Multiply => registers[a] = registers[b].wrapping_mul(3) ^ i64::from(fuel),
            Operation::JumpIfOdd => {
                if registers[a] & 1 == 1 {
                    at = i.to as usize;
                }
            }
            Operation::Look => {
                publish!();
                look_at_registers(memory);
                registers = own(slice(memory));
            }
            Operation::Indexed => registers[a] = registers[registers[b] as usize],
            Operation::Try => {
                if ways.depth == ways.places.len() {
                    return 0;
                }
                ways.places[ways.depth] = if IS_MARKED { one_of!(i.to) } else { i.to };
                ways.depth += 1;
            }
            Operation::Fail => {
                if ways.depth == 0 {
                    return 1;
                }
                ways.depth -= 1;
                at = ways.places[ways.depth] as usize;
                if IS_MARKED {
                    at = one_of!(at as u32) as usize;
                    if !is_constant!(at) {
                        let left = ways;
                        return go_on(code, memory, fuel, at, &left);
                    }
                }
            }
            Operation::Halt => return registers[a],
        }
    }
}
