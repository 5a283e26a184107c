// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that exports nothing: GNU ld leaves its hash table empty.
int main(void) { return 0; }
