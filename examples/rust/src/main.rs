// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern crate handlers;

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use handlers::Rule;
use sartor::{bind, Configuration, Error, Invariant, QuasiInvariant, Runtime};

fn points(runtime: &Runtime) -> Result<(), Error> {
    let sum = runtime.handler(handlers::sum as fn(&[u32], usize) -> u64)?;
    let values: Vec<u32> = (1..=100).collect();
    println!("generic: {}", sum(&values, 2));
    let made = runtime.specialize(&Configuration::new().set("stride", 2))?;
    for variant in made.iter().filter(|variant| variant.handler == "handlers::sum") {
        println!("active: {}: {} bytes", variant.name, variant.code_bytes);
    }
    println!("specialized: {}, guarded: {}", sum(&values, 2), sum(&values, 5));
    Ok(())
}

fn memory(runtime: &Runtime) -> Result<(), Error> {
    let rules = vec![
        Rule { network: 0x0a00_0000, mask: 0xff00_0000, port: 1 },
        Rule { network: 0xc0a8_0000, mask: 0xffff_0000, port: 2 },
    ];
    let limit: QuasiInvariant<AtomicU32> = QuasiInvariant::new("limit", 1500)?;
    let invariant = Invariant::declare_slice(&rules)?;

    let (table, most) = (rules.as_slice(), limit.cell());
    let port =
        bind!(runtime, |address: u32, length: u32| -> u16 { handlers::port(table, most, address, length) })?;
    let made = port.wait()?; // until the variant is active; calls before run native code
    println!("port {} and {}", port(0x0a01_0203, 100), port(0xc0a8_0001, 1501));
    let depended_on = made.fold_report.invariants.iter().filter(|invariant| invariant.depended_on).count();
    println!(
        "depends on {depended_on} invariants, followed {:?}, remarks {:?}",
        made.fold_report.followed, made.remarks
    );

    limit.store(9000); // first deactivates the code that knows 1500
    println!("port {} after the limit has changed", port(0xc0a8_0001, 1501));
    println!("valid again: {}", limit.wait(Duration::from_secs(60)));

    drop(invariant); // required before the rules may change
    Ok(())
}

fn answers(runtime: &Runtime) -> Result<(), Error> {
    let rules = [
        Rule { network: 0x0a00_0000, mask: 0xff00_0000, port: 1 },
        Rule { network: 0xc0a8_0000, mask: 0xffff_0000, port: 2 },
        Rule { network: 0, mask: 0, port: 3 },
    ];
    let invariant = Invariant::declare_slice(&rules)?;
    runtime.tie("port", &invariant)?; // results are valid as long as the rules are
    runtime.instrument([("port", 1)])?;
    runtime.specialize(&Configuration::new())?; // with instrumentation

    let port = runtime.handler(handlers::popular_port as fn(&[Rule; 3], u32) -> u16)?;
    for i in 0..1000 {
        port(&rules, if i % 10 == 0 { i } else { 0xc0a8_0001 });
    }
    runtime.instrument([])?;
    let made = runtime.specialize(&Configuration::new().set("port", 1))?;
    for variant in made.iter().filter(|variant| variant.handler == "handlers::popular_port") {
        println!("remembered: {}: {} bytes", variant.name, variant.code_bytes);
    }
    println!("port {} and {}", port(&rules, 0xc0a8_0001), port(&rules, 5));
    Ok(())
}

fn main() -> Result<(), Error> {
    let runtime = Runtime::open()?;
    points(&runtime)?;
    memory(&runtime)?;
    answers(&runtime)?;
    let error = runtime.specialize(&Configuration::new().set("strid", 2)).unwrap_err();
    println!("as expected: {}: {}", error.code.name(), error.subject);
    let statistics = runtime.statistics()?;
    println!("{} variants in {} bytes", statistics.variants, statistics.resident_bytes);
    Ok(())
}
