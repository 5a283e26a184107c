// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ALTERNATIVES_H
#define SARTOR_RUNTIME_DISPATCH_ALTERNATIVES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// Variants that can replace each other: they differ in the invariants that they depend on, and in
/// their tier. Their invariants are contiguous in memory, as a writer waits while they are
/// searched. Not thread-safe.
class Alternatives {
public:
  void add(const VariantRef &variant);
  void remove(const Variant &variant);
  [[nodiscard]] bool empty() const { return ranked_.empty(); }

  /// Returns a variant all of whose invariants are valid according to `hold`: the one that depends
  /// on most, and a quick one only if there is no other; null if there is none.
  template <class Hold> [[nodiscard]] VariantRef best(Hold hold) const {
    for (const Ranked &each : ranked_)
      if (hold(std::span(invariants_).subspan(each.begin, each.count)))
        return each.variant;
    return nullptr;
  }

private:
  struct Ranked {
    std::size_t begin; ///< The index of its first invariant in `invariants_`.
    std::size_t count;
    VariantRef variant;
  };

  void lay_out();

  /// The invariants of all variants, each variant's sorted.
  std::vector<std::uint64_t> invariants_;
  std::vector<Ranked> ranked_; ///< The best first.
};

} // namespace sartor::runtime

#endif
