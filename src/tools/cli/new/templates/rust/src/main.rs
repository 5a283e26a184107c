extern crate handlers;

use sartor::{Configuration, Error, Runtime};

fn main() -> Result<(), Error> {
    let coefficients = [1, 2, 3, 4, 5];

    let runtime = Runtime::open()?;
    let evaluate = runtime.handler(handlers::polynomial as fn(&[i64], usize, i64) -> i64)?;
    println!("generic: {}", evaluate(&coefficients, 4, 10));
    runtime.specialize(&Configuration::new().set("terms", 4))?;
    println!("specialized: {}", evaluate(&coefficients, 4, 10));
    // The variant is for four terms. With five, its guard fails and generic code continues.
    println!("guarded: {}", evaluate(&coefficients, 5, 10));
    Ok(())
}
