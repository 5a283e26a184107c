// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_REQUIRE_H
#define SARTOR_TEST_FUZZ_REQUIRE_H

#include <cstdlib>

namespace sartor::fuzz {

/// Ends the process, which a fuzzer reports, if the condition is false.
inline void require(bool condition) {
  if (!condition)
    std::abort();
}

} // namespace sartor::fuzz

#endif
