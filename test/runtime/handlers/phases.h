// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PHASES_H
#define SARTOR_TEST_PHASES_H

#include <cstdint>

std::uint64_t in_phase(std::uint64_t x, unsigned phase);

#endif
