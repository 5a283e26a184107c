// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern crate handlers;

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use handlers::Rule;
use sartor::{bind, Configuration, Error, Fact, Invariant, Runtime};

fn points(runtime: &Runtime) -> Result<(), Error> {
    let sum = runtime.handler(handlers::sum as fn(&[u32], usize) -> u64)?;
    let values: Vec<u32> = (1..=100).collect();
    println!("generic: {}", sum(&values, 2));
    let made = runtime.specialize(&Configuration::new().set("stride", 2))?;
    for variant in made.iter().filter(|variant| variant.handler == "handlers::sum") {
        println!("in force: {}: {} bytes", variant.name, variant.code_bytes);
    }
    println!("specialized: {}, guarded: {}", sum(&values, 2), sum(&values, 5));
    Ok(())
}

fn memory(runtime: &Runtime) -> Result<(), Error> {
    let rules = vec![
        Rule { network: 0x0a00_0000, mask: 0xff00_0000, port: 1 },
        Rule { network: 0xc0a8_0000, mask: 0xffff_0000, port: 2 },
    ];
    let limit: Fact<AtomicU32> = Fact::new("limit", 1500)?;
    let promise = Invariant::promise_slice(&rules)?;

    let (table, most) = (rules.as_slice(), limit.cell());
    let port =
        bind!(runtime, |address: u32, length: u32| -> u16 { handlers::port(table, most, address, length) })?;
    let made = port.wait()?; // until the variant is there; without, calls go to the native code meanwhile
    println!("port {} and {}", port(0x0a01_0203, 100), port(0xc0a8_0001, 1501));
    let leant_on = made.folded.promises.iter().filter(|promise| promise.leant_on).count();
    println!("leans on {leant_on} promises, follows {:?}, remarks {:?}", made.folded.followed, made.remarks);

    limit.store(9000); // code that knows 1500 goes out of force first
    println!("port {} after the limit has changed", port(0xc0a8_0001, 1501));
    println!("holds again: {}", limit.wait(Duration::from_secs(60)));

    drop(promise); // before the rules may change
    Ok(())
}

fn answers(runtime: &Runtime) -> Result<(), Error> {
    let rules = [
        Rule { network: 0x0a00_0000, mask: 0xff00_0000, port: 1 },
        Rule { network: 0xc0a8_0000, mask: 0xffff_0000, port: 2 },
        Rule { network: 0, mask: 0, port: 3 },
    ];
    let promise = Invariant::promise_slice(&rules)?;
    runtime.tie("port", &promise)?; // answers hold as long as the rules do
    runtime.instrument([("port", 1)])?;
    runtime.specialize(&Configuration::new())?; // with counters in it

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
