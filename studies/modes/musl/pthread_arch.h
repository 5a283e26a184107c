/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Replaces musl's own header: the data of musl's threads is in memory of glibc's threads. */
uintptr_t modes_thread(void);
// NOLINTNEXTLINE(readability-identifier-naming): musl's name
static inline uintptr_t __get_tp(void) { return modes_thread(); }
#define MC_PC gregs[REG_RIP]
