// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_ISOLATE_REFUSAL_H
#define SARTOR_LOADER_PASSES_ISOLATE_REFUSAL_H

#include <cstddef>
#include <string>
#include <vector>

#include "isolate/library.h"

namespace sartor::isolate {

/// Libraries of an image, in the order in which the stock loader searches them, and which domain
/// each is in: an index, or `outside`.
struct Assignment {
  static constexpr std::size_t outside = ~std::size_t{0};

  std::vector<Library> libraries;
  std::vector<std::size_t> domains;
};

/// Why a library that is in a domain cannot be: what it does, or what others do to it. Empty if it
/// can.
std::string why_not(const Assignment &all, std::size_t library);

} // namespace sartor::isolate

#endif
