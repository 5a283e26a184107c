// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#[test]
fn a_program_finds_the_library_and_handlers_of_another_package() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_sartor-user"))
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "6 5\n3\n");
}
