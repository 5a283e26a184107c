// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDY_RUST_ROUTES_H
#define STUDY_RUST_ROUTES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forward.h"

namespace sartor::rust_study {

/// So many routes, the longest prefixes first, as a table that is searched as a list has them.
/// Prefixes have 8 to 32 bits, most of them 16 to 24; the same for the same count.
std::vector<Rule> routes(std::size_t count);

/// Addresses: nine of ten match a route, each as often as another.
std::vector<std::uint32_t> traffic(const std::vector<Rule> &rules, std::size_t count);

/// What a look-up gives, plainly.
std::uint16_t port_of(const std::vector<Rule> &rules, std::uint32_t address);

} // namespace sartor::rust_study

#endif
