// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bound arguments, invariant memory, quasi-invariants.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use sartor::{
    bind, invariant, Configuration, Constant, Followed, Invariant, QuasiInvariant, Runtime, VariantOrigin,
};
use sartor_tests::handlers::{self, Rule};
use sartor_tests::with_std;

fn rules() -> Vec<Rule> {
    (1..5).map(|i| Rule { network: i << 24, mask: 0xff00_0000, port: 10 * i }).collect()
}

#[test]
fn invariant_rules_fold_into_a_binding() {
    let runtime = Runtime::open().unwrap();
    let rules = rules();
    let invariant = Invariant::declare_slice(&rules).unwrap();
    let slice = rules.as_slice();
    let port = bind!(runtime, |address: u32| -> u32 { handlers::first_port(slice, address) }).unwrap();
    let made = port.wait().unwrap(); // fails if a load is left
    assert!(port.is_ready());
    assert_eq!(made.handler, "handlers::first_port");
    assert!(made.name.starts_with("handlers::first_port") && made.code_bytes > 0, "{made:?}");
    assert!(made.resident_bytes >= made.code_bytes && !made.quick, "{made:?}");
    assert!([VariantOrigin::Compiled, VariantOrigin::Memory].contains(&made.origin), "{made:?}");
    let [fold_report] = &made.fold_report.invariants[..] else { panic!("{made:?}") };
    assert!(
        fold_report.depended_on && fold_report.loads > 0 && fold_report.quasi_invariant.is_empty(),
        "{made:?}"
    );
    assert!(made.fold_report.loops.iter().any(|of| of.copies > 0 && of.why_not.is_empty()), "{made:?}");
    assert_eq!(made.fold_report.followed, Followed::Whole, "{made:?}");
    let statistics = runtime.statistics().unwrap();
    assert!(runtime.is_active() && statistics.compiles > 0 && statistics.variants > 0, "{statistics:?}");
    assert!(statistics.code_bytes >= made.code_bytes && statistics.failures == 0, "{statistics:?}");
    for address in [0, 1 << 24, (3 << 24) + 77, 9 << 24] {
        assert_eq!(port(address), handlers::match_port(&rules, address, 0));
    }
    drop(invariant);
    assert_eq!(port(2 << 24), 20);
}

#[test]
fn bound_arguments_are_converted_as_in_a_call() {
    let runtime = Runtime::open().unwrap();
    let rules = rules();
    let of_vector = &rules;
    let port = bind!(runtime, |address: u32, missing: u32| -> u32 {
        handlers::match_port(of_vector, address, missing)
    })
    .unwrap();
    port.wait().unwrap();
    assert_eq!((port(2 << 24, 7), port(0, 7)), (20, 7));

    let table = Box::new(handlers::Table { rules: Box::new([rules[2], rules[3]]), missing: 5 });
    let invariant = invariant!(&*table).unwrap();
    let of_box = &table;
    let port = bind!(runtime, |address: u32| -> u32 { handlers::port_in(of_box, address) }).unwrap();
    port.wait().unwrap(); // fails if a load is left
    assert_eq!((port(3 << 24), port(1 << 24)), (30, 5));
    drop(invariant);
}

#[test]
fn what_is_not_invariant_does_not_fold() {
    let runtime = Runtime::open().unwrap();
    let rules = rules();
    let slice = rules.as_slice();
    let port = bind!(runtime, |address: u32| -> u32 { handlers::first_port(slice, address) }).unwrap();
    let error = port.wait().unwrap_err();
    assert_eq!(error.code, sartor::ErrorCode::NotConstant, "{error}");
    assert_eq!(port(2 << 24), 20); // native code
}

#[test]
fn what_changes_nothing_is_remarked() {
    let runtime = Runtime::open().unwrap();
    let rules = rules();
    let invariant = Invariant::declare_slice(&rules).unwrap();
    let slice = &rules[..0];
    let port = bind!(runtime, |address: u32| -> u32 { handlers::match_port(slice, address, 7) }).unwrap();
    let made = port.wait().unwrap();
    assert!(
        made.fold_report.invariants.iter().all(|invariant| !invariant.depended_on && invariant.loads == 0),
        "{made:?}"
    );
    assert_eq!(made.remarks.len(), made.fold_report.invariants.len(), "{made:?}");
    assert_eq!(port(5), 7);
    drop(invariant);
}

#[test]
fn rules_change_when_the_invariant_is_revoked() {
    let runtime = Runtime::open().unwrap();
    let mut rules = rules();
    for round in 0..3 {
        rules[1].port = 100 + round;
        let invariant = Invariant::declare_slice(&rules).unwrap();
        let slice = rules.as_slice();
        let port = bind!(runtime, |address: u32| -> u32 { handlers::match_port(slice, address, 7) }).unwrap();
        port.wait().unwrap();
        assert_eq!((port(2 << 24), port(0)), (100 + round, 7));
        invariant.revoke();
    }
}

#[test]
fn a_binding_is_a_closure() {
    let runtime = Runtime::open().unwrap();
    let rules = rules();
    let mut of_all: Vec<Box<dyn Fn(u32) -> u32 + '_>> = Vec::new();
    for missing in 0..3 {
        let slice = rules.as_slice();
        let port =
            bind!(runtime, |address: u32| -> u32 { handlers::match_port(slice, address, missing) }).unwrap();
        port.wait().unwrap();
        of_all.push(Box::new(port.into_call()));
    }
    for (missing, port) in of_all.iter().enumerate() {
        assert_eq!((port(1 << 24), port(0)), (10, missing as u32));
    }
}

#[test]
fn references_are_passed_on_to_a_binding() {
    let runtime = Runtime::open().unwrap();
    let port = {
        let address = 2 << 24;
        bind!(runtime, |rules: &[Rule], missing: u32| -> u32 {
            handlers::match_port(rules, address, missing)
        })
        .unwrap()
    };
    port.wait().unwrap();
    for length in 0..4 {
        let shorter = rules()[..length].to_vec();
        assert_eq!(port(&shorter, 1), handlers::match_port(&shorter, 2 << 24, 1));
    }
}

#[test]
fn a_binding_of_a_result_in_memory() {
    let runtime = Runtime::open().unwrap();
    let a = 9;
    let outcome = bind!(runtime, |b: u32| -> handlers::Outcome { handlers::outcome(a, b) }).unwrap();
    outcome.wait().unwrap();
    assert_eq!(outcome(4), handlers::outcome(9, 4));
}

#[test]
fn a_panic_leaves_a_binding() {
    let runtime = Runtime::open().unwrap();
    let values = [10, 20];
    let invariant = Invariant::declare(&values).unwrap();
    let slice = values.as_slice();
    let element =
        bind!(runtime, |at: usize, times: u32| -> u32 { with_std::element(slice, at, times) }).unwrap();
    element.wait().unwrap();
    for _ in 0..3 {
        assert_eq!(element(1, 3), 60);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| element(2, 1))).is_err());
    }
    drop(invariant); // waits for callers inside: none
    assert_eq!(element(0, 1), 10);
}

#[test]
fn what_a_value_owns_is_invariant_with_it() {
    let table = handlers::Table { rules: Box::new([rules()[2], rules()[3]]), missing: 5 };
    let invariant = invariant!(&table).unwrap();
    let runtime = Runtime::open().unwrap();
    let of_table = &table;
    let port = bind!(runtime, |address: u32| -> u32 { handlers::port_in(of_table, address) }).unwrap();
    port.wait().unwrap(); // fails if a load is left
    assert_eq!((port(3 << 24), port(1 << 24)), (30, 5));
    drop(invariant);
}

#[test]
fn the_programs_own_types_are_invariant() {
    #[derive(Constant)]
    struct Own<'a, T: Copy, const N: usize>
    where
        T: PartialEq,
    {
        values: Vec<T>,
        names: &'a [u8],
        best: Option<Box<u32>>,
        pair: (u32, [u16; N]),
    }
    #[derive(Constant)]
    struct Pair(pub u32, f64);
    #[derive(Constant)]
    struct Nothing;
    assert!(Pair::FLAT && Nothing::FLAT && !Own::<u32, 3>::FLAT);
    let own = Own { values: vec![Pair(1, 2.0).0], names: b"ab", best: Some(Box::new(7)), pair: (1, [2; 3]) };
    let mut report = Vec::new();
    own.sartor_parts(&mut |at, size| report.push((at, size)));
    let whole = (&raw const own).cast::<u8>();
    let best = own.best.as_deref().unwrap();
    assert_eq!(
        report,
        [
            (whole, size_of_val(&own)),
            (own.values.as_ptr().cast(), 4),
            (own.names.as_ptr(), 2),
            (std::ptr::from_ref(best).cast(), 4),
        ]
    );
    assert_eq!((own.pair.0, own.pair.1[0]), (1, 2));
    drop(Invariant::declare(&own).unwrap());
}

#[test]
fn enumerations_are_invariant_with_what_their_variants_own() {
    #[derive(Constant)]
    enum Tree<T: Copy> {
        Leaf,
        Value(T, Box<u32>),
        #[allow(dead_code)]
        Branch {
            left: Box<Tree<T>>,
            right: Box<Tree<T>>,
        },
    }
    #[derive(Clone, Copy, Constant)]
    enum Plain {
        One = 7,
        Two,
    }
    assert!(Plain::FLAT && !Tree::<u32>::FLAT && [Plain::One, Plain::Two].len() == 2);
    let tree = Tree::Branch { left: Box::new(Tree::Value(1u64, Box::new(9))), right: Box::new(Tree::Leaf) };
    let mut report = Vec::new();
    tree.sartor_parts(&mut |at, size| report.push((at, size)));
    let Tree::Branch { left, right } = &tree else { unreachable!() };
    let Tree::Value(_, owned) = &**left else { unreachable!() };
    assert_eq!(
        report,
        [
            ((&raw const tree).cast::<u8>(), size_of_val(&tree)),
            ((&raw const **left).cast(), size_of_val(&**left)),
            ((&raw const **owned).cast(), 4),
            ((&raw const **right).cast(), size_of_val(&**right)),
        ]
    );
    drop(Invariant::declare(&tree).unwrap());
}

#[test]
fn fold_functions_are_called_when_a_variant_is_made() {
    let runtime = Runtime::open().unwrap();
    let values = [1, 2, 3, 4];
    let expected = handlers::digest(&values) + 5;
    let invariant = Invariant::declare(&values).unwrap();
    let of_values = &values;
    let digested = bind!(runtime, |more: u32| -> u32 { handlers::digested(of_values, more) }).unwrap();
    digested.wait().unwrap();
    assert_eq!(digested(5), expected);
    drop(invariant);
}

#[test]
fn nothing_cannot_be_invariant() {
    let error = Invariant::declare::<[u32]>(&[]).unwrap_err();
    assert_eq!(error.code, sartor::ErrorCode::BadInvariant);
}

#[test]
fn a_quasi_invariant_folds_until_it_is_changed() {
    let runtime = Runtime::open().unwrap();
    let limit: QuasiInvariant<AtomicU32> = QuasiInvariant::new("limit", 50).unwrap();
    assert!(limit.wait(Duration::from_secs(60)));
    let cell = limit.cell();
    let limited = bind!(runtime, |value: u32| -> u32 { handlers::limited(cell, value) }).unwrap();
    let report = limited.wait().unwrap();
    let [fold_report] = &report.fold_report.invariants[..] else { panic!("{report:?}") };
    assert!(
        fold_report.quasi_invariant == "limit" && fold_report.depended_on && fold_report.loads > 0,
        "{report:?}"
    );
    assert_eq!((limited(10), limited(100)), (10, 50));
    let made =
        |figures: String| sartor::json::Value::read(&figures).unwrap().get("made").unwrap().number().unwrap();
    assert!(made(limit.figures().unwrap()) > 0.0, "{}", limit.figures().unwrap());
    for value in [60, 70] {
        limit.store(value);
        assert_eq!((limited(10), limited(100)), (10, value));
    }
    assert!(limit.wait(Duration::from_secs(60)));
    assert!(limit.valid());
    assert_eq!(limited(100), limit.load());
}

#[test]
fn popular_answers_are_remembered() {
    let runtime = Runtime::open().unwrap();
    let table = [7u32; 64];
    let invariant = Invariant::declare(&table).unwrap();
    runtime.tie("remembered", &invariant).unwrap();
    runtime.instrument([("remembered", 1)]).unwrap();
    runtime.specialize(&Configuration::new()).unwrap();
    let remembered = runtime.handler(handlers::remembered as fn(&[u32; 64], u32) -> u32).unwrap();
    for i in 0..1000u32 {
        assert_eq!(remembered(&table, if i % 3 == 0 { 5 } else { 6 }), 8);
    }
    let profile = runtime.profile().unwrap();
    assert!(profile.to_string().contains("remembered"), "{profile}");
    let variants = runtime.specialize(&Configuration::new().set("remembered", 2)).unwrap();
    assert!(variants.iter().any(|variant| variant.name.contains("remembered=2")), "{variants:?}");
    assert_eq!((remembered(&table, 5), remembered(&table, 50)), (8, 8));
    assert!(std::panic::catch_unwind(|| remembered(&table, 70)).is_err());
    runtime.instrument([]).unwrap();
    runtime.load_profile(&profile).unwrap();
}
