/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_C_FILE_OR_ASK_H
#define SARTOR_TEST_RUNTIME_HANDLERS_C_FILE_OR_ASK_H

#include "c_file.h"

/** Passed as the number of bytes: asks whether `shared` is a constant in the active code. */
#define IS_SHARED_FOLDED (~0UL)

/** As read_c_file(), or answers. */
unsigned long read_or_ask(struct CFile *file, unsigned long bytes);

#endif
