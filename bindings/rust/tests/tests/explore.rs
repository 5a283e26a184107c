// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Exploring. The tests do not check which configuration is better, because that depends on the machine.

extern crate lanes;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sartor::{Explorer, Objective, Runtime};

const OPTIONS: &str = r#"{"sample_time":0.001,"most_trials":3}"#;

static COUNT: AtomicU64 = AtomicU64::new(0);

fn with_work(explore: impl FnOnce(&Runtime)) {
    let runtime = Runtime::open().unwrap();
    let work = runtime.handler(lanes::work as fn(&[u32], usize) -> u32).unwrap();
    let values: Vec<u32> = (0..256).collect();
    let expected = lanes::work(&values, 4);
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert_eq!(work(&values, 4), expected);
                COUNT.fetch_add(1, Ordering::Relaxed);
            }
        });
        // This makes the thread end even after a panic.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| explore(&runtime)));
        done.store(true, Ordering::Relaxed);
        result.unwrap();
    });
}

#[test]
fn a_program_explores() {
    with_work(|runtime| {
        let objective =
            Objective::counter(|| COUNT.load(Ordering::Relaxed) as f64).named("work", "calls").unwrap();
        let decision = runtime.explore(&objective, OPTIONS).unwrap();
        assert!(decision.report.contains("configuration"), "{decision:?}");
        assert!(decision.mean.unwrap_or(1.0) > 0.0, "{decision:?}");
    });
}

#[test]
fn a_program_explores_in_the_background() {
    with_work(|runtime| {
        let objective = Objective::counter(|| COUNT.load(Ordering::Relaxed) as f64);
        let explorer = Explorer::start(runtime, objective, OPTIONS).unwrap();
        let begin = Instant::now();
        while explorer.decision().unwrap().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(5));
        }
        explorer.stop().unwrap();
        drop(explorer);
    });
}

#[test]
fn options_that_cannot_be_read_are_refused() {
    let runtime = Runtime::open().unwrap();
    let objective = Objective::call(lanes::work as fn(&[u32], usize) -> u32).unwrap();
    let error = runtime.explore(&objective, "{").unwrap_err();
    assert_eq!(error.code, sartor::ErrorCode::BadJson, "{error}");
}

#[test]
fn points_without_guards_are_for_unsafe_code() {
    let runtime = Runtime::open().unwrap();
    let objective = Objective::call(lanes::work as fn(&[u32], usize) -> u32).unwrap();
    for options in [
        r#"{"unguarded":["lanes"]}"#,
        r#"{"\u0075nguarded":["lanes"]}"#,
        r#"{"unguarded":["lanes"],"unguarded":[]}"#,
    ] {
        let error = runtime.explore(&objective, options).unwrap_err();
        assert_eq!(error.code, sartor::ErrorCode::BadArgument, "{error}");
        assert!(error.remedy.contains("explore_unguarded"), "{error}");
        assert!(Explorer::start(&runtime, Objective::counter(|| 0.0), options).is_err(), "{options}");
    }
    with_work(|runtime| {
        let objective = Objective::counter(|| COUNT.load(Ordering::Relaxed) as f64);
        let options = r#"{"sample_time":0.001,"most_trials":3,"unguarded":["lanes"]}"#;
        // Every number of lanes gives the same sum.
        unsafe { runtime.explore_unguarded(&objective, options) }.unwrap();
    });
}
