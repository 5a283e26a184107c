/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses a clock that tests set. */
unsigned long long clock_now;
#define NF_NOW() clock_now
#include "nf_bridge.bpf.c" // NOLINT(bugprone-suspicious-include)
