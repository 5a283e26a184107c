// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that needs a library, which may be missing.
int subject_call(int x);
int load_program_word = 0x5a17;

int main(void) { return subject_call(load_program_word) == 0; }
