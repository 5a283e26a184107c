/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In the place of musl's own: what its threads know of themselves lies where glibc's threads let it. */
uintptr_t modes_thread(void);
static inline uintptr_t __get_tp(void) { return modes_thread(); }
#define MC_PC gregs[REG_RIP]
