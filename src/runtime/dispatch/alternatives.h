// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ALTERNATIVES_H
#define SARTOR_RUNTIME_DISPATCH_ALTERNATIVES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// Variants that can stand in for each other: they differ in the promises that they lean on, and in
/// their tier. Their promises lie in one piece, as a writer waits while they are gone through. Not
/// thread-safe.
class Alternatives {
public:
  void add(const VariantRef &variant);
  void remove(const Variant &variant);
  [[nodiscard]] bool empty() const { return ranked_.empty(); }

  /// Of those of whose promises `hold` says that they do, one that leans on most, and that is no
  /// quick one unless it has to be; null if there is none.
  template <class Hold> [[nodiscard]] VariantRef best(Hold hold) const {
    for (const Ranked &each : ranked_)
      if (hold(std::span(promises_).subspan(each.begin, each.count)))
        return each.variant;
    return nullptr;
  }

private:
  struct Ranked {
    std::size_t begin; ///< Of its promises in `promises_`.
    std::size_t count;
    VariantRef variant;
  };

  void lay_out();

  std::vector<std::uint64_t> promises_; ///< Of each, sorted.
  std::vector<Ranked> ranked_;          ///< The best first.
};

} // namespace sartor::runtime

#endif
