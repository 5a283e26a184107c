// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs of a machine as variants of its interpreter loop, with local registers and saved places.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::Mutex;

use sartor::{bind, Invariant, Runtime};
use sartor_tests::machine::{run, Instruction, Operation, REGISTERS};
use sartor_tests::{Random, SEEN};

/// The observed register values are one global number, so tests run one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn code(operations: &[(Operation, u8, u8, u32)]) -> Vec<Instruction> {
    operations.iter().map(|&(operation, a, b, to)| Instruction { operation, a, b, to }).collect()
}

/// Random instructions of these kinds, with valid jump targets.
fn random_code(random: &mut Random, size: u64) -> Vec<Instruction> {
    const OPERATIONS: [Operation; 8] = [
        Operation::Load,
        Operation::Add,
        Operation::Multiply,
        Operation::JumpIfOdd,
        Operation::Look,
        Operation::Indexed,
        Operation::Try,
        Operation::Fail,
    ];
    let mut all: Vec<Instruction> = (1..size)
        .map(|_| Instruction {
            operation: OPERATIONS[random.below(8) as usize],
            a: random.below(REGISTERS as u64) as u8,
            b: random.below(REGISTERS as u64) as u8,
            to: random.below(size) as u32,
        })
        .collect();
    all.push(Instruction { operation: Operation::Halt, a: 3, b: 0, to: 0 });
    all
}

/// The result or panic message; the observed values; the final registers.
fn outcome(
    program: impl Fn(*mut i64, u32) -> i64,
    fuel: u32,
) -> (Result<i64, String>, i64, [i64; REGISTERS]) {
    SEEN.store(0, Ordering::Relaxed);
    let mut registers = std::array::from_fn(|i| i as i64 + i64::from(fuel % 3));
    let result = catch_unwind(AssertUnwindSafe(|| program(registers.as_mut_ptr(), fuel)))
        .map_err(|panic| panic.downcast_ref::<String>().unwrap().clone());
    (result, SEEN.load(Ordering::Relaxed), registers)
}

fn expect_same(runtime: &Runtime, code: &[Instruction]) -> [bool; 3] {
    let invariant = Invariant::declare_slice(code).unwrap();
    let bound = bind!(runtime, |memory: *mut i64, fuel: u32| -> i64 { run(code, memory, fuel) }).unwrap();
    bound.wait().unwrap();
    let mut seen = [false; 3];
    for fuel in [0, 1, 2, 3, 5, 8, 20, 50, 200] {
        let expected = outcome(|memory, fuel| run(code, memory, fuel), fuel);
        assert_eq!(outcome(|memory, fuel| bound(memory, fuel), fuel), expected, "{code:?}, {fuel}");
        seen[0] |= expected.0.is_err();
        seen[1] |= expected.1 != 0;
        seen[2] |= expected.0.is_ok();
    }
    drop(invariant);
    seen
}

/// Remarks on variants of a program must be empty if all of it can be followed.
#[test]
fn marks_have_their_effect() {
    let _one = ONE_AT_A_TIME.lock().unwrap();
    let log = std::env::temp_dir().join(format!("sartor-interpret-{}.jsonl", std::process::id()));
    let options = format!(r#"{{"event_log": {:?}, "cache_directory": ""}}"#, log.display().to_string());
    let runtime = Runtime::open_with(&options).unwrap();
    let code = code(&[
        (Operation::Try, 0, 0, 4),
        (Operation::Look, 0, 0, 0),
        (Operation::Add, 1, 2, 0),
        (Operation::JumpIfOdd, 1, 0, 2),
        (Operation::Multiply, 4, 1, 0),
        (Operation::Fail, 0, 0, 0),
        (Operation::Halt, 4, 0, 0),
    ]);
    expect_same(&runtime, &code);
    drop(runtime);
    let events = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    let compiled: Vec<&str> = events.lines().filter(|line| line.contains(r#""event":"compile""#)).collect();
    assert!(!compiled.is_empty(), "{events}");
    for remark in ["has no effect", "changes nothing"] {
        assert!(!events.contains(remark), "{events}");
    }
}

#[test]
fn registers_are_written_back_before_a_panic() {
    let _one = ONE_AT_A_TIME.lock().unwrap();
    let runtime = Runtime::open().unwrap();
    let code = code(&[
        (Operation::Load, 1, 0, 70),
        (Operation::Multiply, 2, 1, 0),
        (Operation::Add, 4, 2, 0),
        (Operation::Indexed, 5, 1, 0),
        (Operation::Halt, 4, 0, 0),
    ]);
    assert!(expect_same(&runtime, &code)[0]);
}

#[test]
fn places_to_come_back_to_are_found_again() {
    let _one = ONE_AT_A_TIME.lock().unwrap();
    let runtime = Runtime::open().unwrap();
    let code = code(&[
        (Operation::Try, 0, 0, 4),
        (Operation::Try, 0, 0, 3),
        (Operation::Fail, 0, 0, 0),
        (Operation::JumpIfOdd, 1, 0, 2),
        (Operation::Add, 1, 2, 0),
        (Operation::JumpIfOdd, 1, 0, 1),
        (Operation::Halt, 1, 0, 0),
    ]);
    expect_same(&runtime, &code);
}

#[test]
fn random_programs_do_as_they_do_interpreted() {
    let _one = ONE_AT_A_TIME.lock().unwrap();
    std::panic::set_hook(Box::new(|_| {})); // there are many
    let runtime = Runtime::open().unwrap();
    let mut random = Random(0x0ddba11);
    let mut seen = [false; 3];
    for _ in 0..30 {
        let size = 4 + random.below(20);
        for (all, one) in seen.iter_mut().zip(expect_same(&runtime, &random_code(&mut random, size))) {
            *all |= one;
        }
    }
    assert_eq!(seen, [true; 3]);
}
