// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_ISOLATE_REFUSAL_H
#define SARTOR_LOADER_PASSES_ISOLATE_REFUSAL_H

#include <cstddef>
#include <string>
#include <vector>

#include "isolate/library.h"

namespace sartor::isolate {

/// The libraries of an image in symbol search order, and the domain of each: an index, or
/// `outside`.
struct Assignment {
  static constexpr std::size_t outside = ~std::size_t{0};

  std::vector<Library> libraries;
  std::vector<std::size_t> domains;
};

/// Returns the reason why a library cannot be in its domain: its own behavior or that of other
/// libraries. Empty if it can.
std::string why_not(const Assignment &all, std::size_t library);

} // namespace sartor::isolate

#endif
