// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIRECT_ELSEWHERE_H
#define SARTOR_TEST_DIRECT_ELSEWHERE_H

#include <array>

#include "handlers.h"

long times_elsewhere(long a, long n);
extern const std::array<long (*)(long, long), 2> table;

#endif
