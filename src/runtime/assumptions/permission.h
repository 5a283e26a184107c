// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PERMISSION_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PERMISSION_H

namespace sartor::runtime {

/// What a writer may do.
enum class Permission : unsigned char {
  none,    ///< Nothing is to be stored.
  unasked, ///< It may store: nothing depends on the fact anyway.
  given,   ///< It may store: nothing depends on the fact any more.
};

} // namespace sartor::runtime

#endif
