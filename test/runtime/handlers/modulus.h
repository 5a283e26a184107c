// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_MODULUS_H
#define SARTOR_TEST_RUNTIME_HANDLERS_MODULUS_H

#include <cstdint>

struct Modulus {
  std::uint64_t by; ///< A division is slow unless the divisor is constant.
};

std::uint64_t reduced(const Modulus *modulus, std::uint64_t number);
/// Calls `call` from within a handler.
void within_handler(void (*call)());

#endif
