// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Direct calls of a handler. A process has only one direct state, so this test is a process of its own.

use std::sync::atomic::Ordering;

use sartor::{Configuration, Runtime};
use sartor_tests::{handlers, with_std};

#[test]
fn direct_handlers_are_called_as_what_they_are() {
    let native = [handlers::direct(1), handlers::direct(2), handlers::direct(3)];
    let runtime = Runtime::open().unwrap();
    runtime.specialize(&Configuration::new().set("direct", 2)).unwrap();
    assert_eq!([handlers::direct(1), handlers::direct(2), handlers::direct(3)], native);

    runtime.instrument([("direct", 1)]).unwrap();
    runtime.specialize(&Configuration::new()).unwrap();
    let by_pointer: fn(u32) -> u32 = handlers::direct;
    assert_eq!([handlers::direct(2), handlers::direct(2), by_pointer(1)], [native[1], native[1], native[0]]);
    let profile = runtime.profile().unwrap();
    let seen = profile.get("points").and_then(|points| points.get("direct")).unwrap();
    assert_eq!(seen.get("count").unwrap().number(), Some(3.0), "{seen}");
    runtime.instrument([]).unwrap();

    // A panic also unwinds out of direct calls, repeatedly.
    runtime.specialize(&Configuration::new()).unwrap();
    for _ in 0..3 {
        assert_eq!(with_std::direct_element(&[1, 2], 1), 2);
        let before = with_std::DROPPED.load(Ordering::Relaxed);
        assert!(std::panic::catch_unwind(|| with_std::direct_element(&[1, 2], 2)).is_err());
        assert_eq!(with_std::DROPPED.load(Ordering::Relaxed), before + 1);
    }
    runtime.specialize(&Configuration::new().set("direct", 1)).unwrap();
}
