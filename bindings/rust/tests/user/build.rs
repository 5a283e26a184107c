// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
fn main() {
    sartor_build::program();
}
