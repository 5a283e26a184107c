// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_SEARCH_FAMILIES_H
#define SARTOR_EXPLORE_SEARCH_FAMILIES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sartor/search_space.hpp>

namespace sartor {

/// Dimensions whose labels differ in digits only and which have the same settings, in the order
/// of the numbers in their labels: Ti2 before Ti10.
using Family = std::vector<std::size_t>;

/// Each dimension is in one of them; in the order of their first members.
std::vector<Family> families_of(const SearchSpace &space);

/// A place that is allowed, or at least generic, near the one wanted. From generic on, one
/// dimension after another is set to what is wanted or to what comes nearest, those in `first`
/// before the rest: they stay what they should be, and others give way.
SearchSpace::Place nearest_allowed(const SearchSpace &space, const SearchSpace::Place &wanted,
                                   std::span<const std::size_t> first = {});

} // namespace sartor

#endif
