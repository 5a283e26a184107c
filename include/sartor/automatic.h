/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What code with automatic handlers (`sartor-cc -fsartor-auto`) calls. Programs need not include
 * it.
 */
#ifndef SARTOR_AUTOMATIC_H
#define SARTOR_AUTOMATIC_H

#include <sartor/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Called by a constructor of each program or shared library with automatic handlers. Begins to
 *  tune these handlers in the background and returns. The labels of their points begin with
 *  `auto.`, which no other handler's labels do. Further calls with the same modules do nothing. The
 *  library stays loaded until the process ends. Does nothing with SARTOR=off. Thread-safe. */
void sartor_auto_start(const struct sartor_module *begin, const struct sartor_module *end);

#ifdef __cplusplus
}
#endif

#endif
