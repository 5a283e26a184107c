// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Random configurations change no result, no panic, and no number of drops.

use std::panic::{catch_unwind, AssertUnwindSafe};

use sartor::{Configuration, Runtime};
use sartor_tests::with_std::mixed;
use sartor_tests::Random;

type Mixed = fn(&[i32], u8, usize) -> Result<Vec<String>, String>;

/// The result, or the panic message.
fn outcome(
    mixed: Mixed,
    values: &[i32],
    mode: u8,
    limit: usize,
) -> Result<Result<Vec<String>, String>, String> {
    catch_unwind(AssertUnwindSafe(|| mixed(values, mode, limit)))
        .map_err(|panic| panic.downcast_ref::<String>().unwrap().clone())
}

fn configuration(random: &mut Random) -> Configuration {
    let mut configuration = Configuration::new();
    if random.below(3) > 0 {
        let modes: Vec<u8> = (0..4).filter(|_| random.below(2) == 0).collect();
        if !modes.is_empty() {
            configuration = configuration.set("mixed_mode", modes.as_slice());
        }
    }
    if random.below(2) == 0 {
        configuration = configuration.set("mixed_limit", random.below(6));
    }
    if random.below(2) == 0 {
        configuration = configuration.set("mixed_even", true);
    }
    if random.below(2) == 0 {
        configuration = configuration.set("mixed_value", random.below(61) as i64 - 30);
    }
    configuration
}

#[test]
fn configurations_change_no_outcome() {
    std::panic::set_hook(Box::new(|_| {})); // there are many
    let mut random = Random(0x5eed);
    let inputs: Vec<(Vec<i32>, u8, usize)> = (0..200)
        .map(|_| {
            let length = random.below(12) as usize;
            let values = (0..length).map(|_| random.below(31) as i32 - 15).collect();
            (values, random.below(5) as u8, random.below(6) as usize)
        })
        .collect();
    let expected: Vec<_> =
        inputs.iter().map(|(values, mode, limit)| outcome(mixed, values, *mode, *limit)).collect();
    assert!(expected.iter().any(|each| each.is_err()));
    assert!(expected.iter().any(|each| matches!(each, Ok(Err(_)))));
    assert!(expected.iter().any(|each| matches!(each, Ok(Ok(_)))));

    let runtime = Runtime::open().unwrap();
    let specialized = runtime.handler(mixed as Mixed).unwrap();
    for _ in 0..25 {
        let configuration = configuration(&mut random);
        runtime.specialize(&configuration).unwrap();
        for ((values, mode, limit), expected) in inputs.iter().zip(&expected) {
            assert_eq!(
                &outcome(specialized, values, *mode, *limit),
                expected,
                "{configuration}: {values:?}, {mode}, {limit}"
            );
        }
    }
}
