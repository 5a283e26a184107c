/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs code of the program that may fault. */
#ifndef SARTOR_BASE_CONTAIN_H
#define SARTOR_BASE_CONTAIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of sartor_contain() if no process could be created, or its process was ended. */
enum { SARTOR_CONTAIN_LOST = -1 };

/* Calls work(context) on a separate stack (of a megabyte), in the default floating-point
 * environment, while the calling thread waits. Returns 0 if it has returned, with its result
 * in `*result`; the signal's number if it has faulted or aborted. It runs as the calling
 * thread, with the same memory, files and thread-local variables, but in a separate process:
 * the program's signal handlers, masks and alternate stacks do not take part and stay
 * unchanged, and a fault ends that process alone. `work` must not leave by an exception or
 * longjmp(). */
int sartor_contain(uint64_t (*work)(void *), void *context, uint64_t *result);

#ifdef __cplusplus
}
#endif
#endif
