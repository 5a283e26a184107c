// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PERMISSION_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PERMISSION_H

namespace sartor::runtime {

/// The permission of a writer.
enum class Permission : unsigned char {
  none,    ///< The write must not be made.
  unasked, ///< The write may be made: no code depends on the quasi-invariant anyway.
  given,   ///< The write may be made: no code depends on the quasi-invariant any more.
};

} // namespace sartor::runtime

#endif
