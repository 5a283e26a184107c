// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_TIER_H
#define SARTOR_CORE_COMPILER_TIER_H

namespace sartor::core {

/// How much work a compile is worth.
enum class Tier : unsigned char {
  quick, ///< Soon there, and the constants already folded.
  full,  ///< What LLVM's O3 does, or the user's pipeline.
  kLast = full,
};

} // namespace sartor::core

#endif
