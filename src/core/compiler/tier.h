// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_TIER_H
#define SARTOR_CORE_COMPILER_TIER_H

namespace sartor::core {

/// The amount of work for a compilation.
enum class Tier : unsigned char {
  quick, ///< Available soon, with constants folded.
  full,  ///< LLVM's O3, or the user's pipeline.
  kLast = full,
};

} // namespace sartor::core

#endif
