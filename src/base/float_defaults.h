/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The default floating-point environment: rounds to nearest, no exception is raised as a
 * signal, denormal numbers are supported. <fenv.h> does not set denormal modes, and may
 * require libm. */
#ifndef SARTOR_BASE_FLOAT_DEFAULTS_H
#define SARTOR_BASE_FLOAT_DEFAULTS_H

#include <stdint.h>

static inline void sartor_float_defaults(void) {
#if defined(__x86_64__)
  const uint32_t control = 0x1f80;
  __asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(control));
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %0" : : "r"((uint64_t)0));
#elif defined(__arm__) && defined(__ARM_FP)
  __asm__ volatile("vmsr fpscr, %0" : : "r"(0));
#elif defined(__riscv) && defined(__riscv_flen)
  __asm__ volatile("fscsr zero");
#endif
}

#endif
