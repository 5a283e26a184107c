// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANT_STATE_OF_H
#define SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANT_STATE_OF_H

#include <memory>

#include <sartor/quasi_invariant.hpp>

namespace sartor::runtime {

/// Gives access to the state behind the public class.
struct QuasiInvariantStateOf {
  static std::shared_ptr<QuasiInvariantState> get(const QuasiInvariant &face) {
    return face.quasi_invariant_;
  }
};

} // namespace sartor::runtime

#endif
