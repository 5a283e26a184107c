// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_FACT_OF_H
#define SARTOR_INVARIANT_FACT_OF_H

#include <memory>

#include <sartor/quasi_invariant.hpp>

namespace sartor::invariant {

/// What is behind the public face.
struct FactOf {
  static std::shared_ptr<Fact> get(const QuasiInvariant &face) { return face.fact_; }
};

} // namespace sartor::invariant

#endif
