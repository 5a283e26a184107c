// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__asm__(".symver measure_first, measure@PROBE_1");
__asm__(".symver measure_second, measure@@PROBE_2");

int measure_first(void) { return 1; }
int measure_second(void) { return 2; }
