// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Comparison of variants with the native code.

use std::process::Command;
use std::time::{Duration, Instant};

use sartor::{Configuration, ErrorCode, Runtime};
use sartor_tests::handlers;

/// The number of calls that are compared. Waits for some if there should be.
fn compared(verify: &str, wait: Duration) -> u64 {
    let state = std::env::temp_dir().join(format!("sartor-compared-{}", std::process::id()));
    let options = format!(
        r#"{{"verify": "{verify}", "state_directory": "{}", "share_quarantine": true}}"#,
        state.display()
    );
    let runtime = Runtime::open_with(&options).unwrap();
    let sum = runtime.handler(handlers::sum as fn(&[u32], usize) -> u64).unwrap();
    runtime.specialize(&Configuration::new().set("stride", 2)).unwrap();
    let begin = Instant::now();
    loop {
        for _ in 0..100 {
            assert_eq!(sum(&[1, 2, 3], 2), 4);
        }
        let statistics = runtime.statistics().unwrap();
        assert_eq!(statistics.differences, 0);
        if statistics.verified > 0 || begin.elapsed() >= wait {
            return statistics.verified;
        }
    }
}

#[test]
#[ignore = "run by calls_are_compared_as_the_options_say"]
fn in_an_environment_without_settings() {
    for verify in ["on", "all", "first=0,budget=0,every=3,tolerance=0.001"] {
        assert!(compared(verify, Duration::from_secs(60)) > 0, "{verify}");
    }
    assert_eq!(compared("off", Duration::ZERO), 0);
    let error = Runtime::open_with(r#"{"verify": "sometimes"}"#).unwrap_err();
    assert_eq!(error.code, ErrorCode::BadJson);
}

/// The environment has precedence over options, and other tests run without comparison.
#[test]
fn calls_are_compared_as_the_options_say() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "in_an_environment_without_settings", "--ignored", "--nocapture"])
        .env_remove("SARTOR_VERIFY")
        .env_remove("SARTOR_STATE_DIR")
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && report.contains("1 passed"), "{output:?}");
}
