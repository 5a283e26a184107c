// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_MODULUS_H
#define SARTOR_TEST_RUNTIME_HANDLERS_MODULUS_H

#include <cstdint>

struct Modulus {
  std::uint64_t by; ///< A division takes long, unless one knows by what.
};

std::uint64_t reduced(const Modulus *modulus, std::uint64_t number);
/// Calls something within.
void within_handler(void (*call)());

#endif
