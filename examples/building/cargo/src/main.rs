// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" {
    fn tune() -> i32;
}

fn main() {
    std::process::exit(unsafe { tune() });
}
