// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Specialized code gives the same results as generic code.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;

use sartor::{Configuration, Runtime};
use sartor_tests::{handlers, with_std, PROGRAM_FACTOR};

fn set(label: &str, value: impl Into<sartor::Setting>) -> Configuration {
    Configuration::new().set(label, value)
}

fn runtime_with(configuration: &Configuration, name: &str) -> Runtime {
    let runtime = Runtime::open().unwrap();
    let variants = runtime.specialize(configuration).unwrap();
    assert!(variants.iter().any(|variant| variant.name.contains(name)), "{variants:?}");
    runtime
}

#[test]
fn a_slice_and_a_number() {
    let runtime = Runtime::open().unwrap();
    let sum = runtime.handler(handlers::sum as fn(&[u32], usize) -> u64).unwrap();
    let values: Vec<u32> = (1..=100).collect();
    let generic: Vec<u64> = (1..6).map(|stride| sum(&values, stride)).collect();
    let variants = runtime.specialize(&set("stride", 2)).unwrap();
    assert!(variants.iter().any(|variant| variant.name == "handlers::sum{stride=2}"), "{variants:?}");
    let specialized: Vec<u64> = (1..6).map(|stride| sum(&values, stride)).collect();
    assert_eq!(specialized, generic);
    assert_eq!(specialized[0], handlers::sum(&values, 1));
}

#[test]
fn points_of_all_types() {
    let configuration = Configuration::new()
        .set("mode", 1)
        .set("signed", -7)
        .set("factor", 0.5)
        .set("wide", -5_000_000_000i64)
        .set("is_on", true)
        .set("letter", 'ß' as u32);
    let runtime = runtime_with(&configuration, "handlers::all_kinds");
    let all = handlers::all_kinds as fn(u32, i32, f32, i64, bool, char) -> f64;
    let specialized = runtime.handler(all).unwrap();
    for mode in 0..3 {
        for signed in [-9, -7, 0, 8] {
            for factor in [0.5, 2.0, 3.0] {
                for wide in [-5_000_000_000, 1] {
                    for is_on in [true, false] {
                        for letter in ['a', 'ß', 'x'] {
                            assert_eq!(
                                specialized(mode, signed, factor, wide, is_on, letter).to_bits(),
                                all(mode, signed, factor, wide, is_on, letter).to_bits()
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn points_know_their_types() {
    let space = Runtime::open().unwrap().space().unwrap().to_string();
    for text in ["\"mode\"", "-8", "0.5", "\"letter\"", "223"] {
        assert!(space.contains(text), "{text} in {space}");
    }
}

#[test]
fn there_is_one_of_each_static() {
    let runtime = runtime_with(&set("step", 2), "handlers::counted");
    let counted = runtime.handler(handlers::counted as fn(u64)).unwrap();
    let before = handlers::calls();
    counted(2);
    counted(5);
    handlers::counted(1);
    assert_eq!(handlers::calls() - before, 8);
}

#[test]
fn the_rest_of_the_program_is_called_and_read() {
    let runtime = runtime_with(&set("scaled", 5), "handlers::scaled");
    let scaled = runtime.handler(handlers::scaled as fn(u32) -> u32).unwrap();
    assert_eq!((scaled(5), scaled(6)), (18, 21));
    PROGRAM_FACTOR.store(4, Ordering::Relaxed);
    assert_eq!((scaled(5), scaled(6)), (24, 28));
    PROGRAM_FACTOR.store(3, Ordering::Relaxed);
}

#[test]
fn handlers_with_lifetimes_that_are_nobody_elses() {
    let runtime = runtime_with(&set("bias", 2), "handlers::longest");
    let longest = runtime.handler(handlers::LONGEST).unwrap();
    for bias in [None, Some(&2), Some(&3)] {
        for other in ["a", "abcd", "abcdefgh"] {
            let (one, other) = (b"ab".as_slice(), other.as_bytes());
            assert_eq!(longest(one, other, bias), handlers::LONGEST(one, other, bias));
        }
    }
}

#[test]
fn large_results_come_in_memory() {
    let runtime = runtime_with(&set("outcome", 7), "handlers::outcome");
    let outcome = runtime.handler(handlers::outcome as fn(u32, u32) -> handlers::Outcome).unwrap();
    for a in [7, 8] {
        assert_eq!(outcome(a, 9), handlers::outcome(a, 9));
    }
}

#[test]
fn a_panic_unwinds_through_a_variant() {
    let runtime = runtime_with(&set("times", 2), "with_std::element");
    let element = runtime.handler(with_std::element as fn(&[u32], usize, u32) -> u32).unwrap();
    let values = [10, 20];
    for times in [2, 3] {
        assert_eq!(element(&values, 1, times), 20 * times);
        let before = with_std::DROPPED.load(Ordering::Relaxed);
        let panic = catch_unwind(AssertUnwindSafe(|| element(&values, 2, times))).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert_eq!(text, "index out of bounds: the len is 2 but the index is 2");
        assert_eq!(with_std::DROPPED.load(Ordering::Relaxed), before + 1);
    }
    // The unwound frames do not count as entered.
    runtime.specialize(&Configuration::new()).unwrap();
    assert_eq!(element(&values, 0, 2), 20);
}

#[test]
fn a_panic_is_caught_within_a_variant() {
    let runtime = runtime_with(&set("caught", 5), "with_std::caught");
    let caught = runtime.handler(with_std::caught as fn(&[u32], usize) -> u32).unwrap();
    assert_eq!(caught(&[1, 2, 3], 5), u32::MAX);
    assert_eq!(caught(&[1, 2, 3], 2), 3);
    assert_eq!(caught(&[1, 2, 3], 6), u32::MAX);
}

#[test]
fn thread_local_variables_are_the_programs() {
    let runtime = runtime_with(&set("remember", 5), "with_std::remember");
    let remember = runtime.handler(with_std::remember as fn(u32) -> u32).unwrap();
    assert_eq!((remember(5), with_std::last(), remember(6), with_std::last()), (0, 5, 5, 6));
    std::thread::spawn(move || assert_eq!((remember(5), with_std::last()), (0, 5))).join().unwrap();
}

#[test]
fn calls_by_tables_of_traits() {
    let runtime = runtime_with(&set("shape", 1), "with_std::area");
    let area = runtime.handler(with_std::area as fn(u32, f64) -> f64).unwrap();
    assert_eq!((area(0, 2.0), area(1, 2.0)), (4.0, 12.0));
}

#[test]
fn generic_code_of_another_crate() {
    let runtime = runtime_with(&set("width", 4), "with_std::tables_of_mine::count_in_dense");
    let count = with_std::count_in_dense as fn(&with_std::Dense, usize, u32) -> usize;
    let specialized = runtime.handler(count).unwrap();
    for width in [2, 3, 4] {
        let table = with_std::Dense { width, cells: (0..40).map(|i| i % 5).collect() };
        assert_eq!(specialized(&table, 10, 3), count(&table, 10, 3));
    }
}

#[test]
fn what_threads_may_share() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Runtime>();
    shared::<sartor::Binding<fn()>>();
    shared::<sartor::Invariant<'static>>();
    shared::<sartor::QuasiInvariant<std::sync::atomic::AtomicU32>>();
    shared::<sartor::Error>();
    sent::<sartor::Explorer<'static>>();
}

#[test]
fn threads_call_while_variants_are_switched() {
    let runtime = Runtime::open().unwrap();
    let sum = runtime.handler(handlers::sum as fn(&[u32], usize) -> u64).unwrap();
    let values: Vec<u32> = (1..=64).collect();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert_eq!((sum(&values, 1), sum(&values, 2)), (2080, 1024));
                }
            });
        }
        for _ in 0..5 {
            for stride in [1, 2, 4] {
                runtime.specialize(&set("stride", stride)).unwrap();
            }
            runtime.specialize(&Configuration::new()).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}
