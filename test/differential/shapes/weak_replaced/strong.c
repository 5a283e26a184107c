/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fixed */
int hook(int x);
int hook(int x) { return x + 100; }
int variable = 77;
int helper(int x);
int helper(int x) { return x * 7; }
