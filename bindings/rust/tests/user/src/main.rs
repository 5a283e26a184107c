// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
use sartor::{Configuration, Error, Runtime};
use sartor_tests::handlers;

fn main() -> Result<(), Error> {
    let runtime = Runtime::open()?;
    let sum = runtime.handler(handlers::sum as fn(&[u32], usize) -> u64)?;
    runtime.specialize(&Configuration::new().set("stride", 4))?;
    println!("{} {}", sum(&[1, 2, 3, 4, 5], 4), sum(&[1, 2, 3, 4, 5], 3));
    println!("{}", sartor::version().split('.').count());
    Ok(())
}
