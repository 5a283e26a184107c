/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Macros for odd shapes: each shape is one file or one folder. */
#ifndef SARTOR_TEST_DIFFERENTIAL_SHAPE_H
#define SARTOR_TEST_DIFFERENTIAL_SHAPE_H

#include "program.h"

#ifdef __cplusplus
#define SHAPE_C extern "C"
#else
#define SHAPE_C
#endif

/** The pointer through which a program calls a handler; volatile, so that the compiler does not
 * know its target.
 */
#define CALLED(function) static __typeof__(&function) volatile call_##function = function
/** An element of program_handlers. */
#define LISTED(function) {#function, (void **)&call_##function}
#define HANDLERS(...) struct ProgramHandler program_handlers[] = {__VA_ARGS__, {0, 0}}
#define BINDINGS(...) struct ProgramBinding program_bindings[] = {__VA_ARGS__, {0, 0, 0, 0}}

/** Reduces an input to a handler's small argument. */
#define LOW(input) ((long)((input) % 6))
#define HIGH(input) ((long)((input) / 6 % 6))

#endif
