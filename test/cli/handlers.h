// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_CLI_HANDLERS_H
#define SARTOR_TEST_CLI_HANDLERS_H

#include <cstdint>

/// Multiplies, shifts or mixes each of `row_count` rows of `columns` numbers, depending on `mode`.
void scale_rows(std::uint32_t *rows, int row_count, int columns, int mode);

int doubled(int value, int step);

/// Has a point wider than 64 bits.
int low_bits(unsigned long number);

/// Calls setjmp(), so its points stay generic.
int retried(int limit);

#endif
