/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs code of the program's that may fault. */
#ifndef SARTOR_BASE_CONTAIN_H
#define SARTOR_BASE_CONTAIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What sartor_contain() gives where no process could be made, or its process was ended. */
enum { SARTOR_CONTAIN_LOST = -1 };

/* Calls work(context) on a stack of its own (a megabyte), in the default floating-point
 * environment, while the calling thread waits. 0 if it has returned, and `*result` is what; the
 * signal's number if it has faulted or aborted. It runs as the calling thread, with the same
 * memory, files and thread-local variables, but in a process of its own: the program's signal
 * handlers, masks and alternate stacks have no part in it and stay as they are, and a fault ends
 * that process alone. `work` must not leave by an exception or longjmp(). */
int sartor_contain(uint64_t (*work)(void *), void *context, uint64_t *result);

#ifdef __cplusplus
}
#endif
#endif
