/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What odd shapes are written with: one file, or one folder, a shape. */
#ifndef SARTOR_TEST_DIFFERENTIAL_SHAPE_H
#define SARTOR_TEST_DIFFERENTIAL_SHAPE_H

#include "program.h"

#ifdef __cplusplus
#define SHAPE_C extern "C"
#else
#define SHAPE_C
#endif

/** The pointer by which a program calls a handler; volatile, so that nobody knows where it leads.
 */
#define CALLED(function) static __typeof__(&function) volatile call_##function = function
/** An element of program_handlers. */
#define LISTED(function) {#function, (void **)&call_##function}
#define HANDLERS(...) struct ProgramHandler program_handlers[] = {__VA_ARGS__, {0, 0}}
#define BINDINGS(...) struct ProgramBinding program_bindings[] = {__VA_ARGS__, {0, 0, 0, 0}}

/** Inputs as a handler of two small numbers sees them. */
#define LOW(input) ((long)((input) % 6))
#define HIGH(input) ((long)((input) / 6 % 6))

#endif
