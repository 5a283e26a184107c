// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDY_RUST_ROUTES_H
#define STUDY_RUST_ROUTES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forward.h"

namespace sartor::rust_study {

/// Generates so many routes, the longest prefixes first, as a linear search requires. Prefixes have
/// 8 to 32 bits, most of them 16 to 24. Deterministic for each count.
std::vector<Rule> routes(std::size_t count);

/// Addresses of which nine in ten match a route, all routes equally often.
std::vector<std::uint32_t> traffic(const std::vector<Rule> &rules, std::size_t count);

/// A plain reference lookup.
std::uint16_t port_of(const std::vector<Rule> &rules, std::uint32_t address);

} // namespace sartor::rust_study

#endif
