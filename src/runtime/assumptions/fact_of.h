// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FACT_OF_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FACT_OF_H

#include <memory>

#include <sartor/quasi_invariant.hpp>

namespace sartor::runtime {

/// What is behind the public face.
struct FactOf {
  static std::shared_ptr<Fact> get(const QuasiInvariant &face) { return face.fact_; }
};

} // namespace sartor::runtime

#endif
