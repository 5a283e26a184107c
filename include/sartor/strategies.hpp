// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The strategies that come with Sartor; race.hpp has one more. Each is deterministic: the same
/// seed and the same results give the same proposals.
#ifndef SARTOR_STRATEGIES_HPP
#define SARTOR_STRATEGIES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <sartor/search_space.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

struct SearchOptions {
  std::size_t most_trials = 100; ///< Then the strategy has nothing more to ask.
  std::uint64_t seed = 1;
};

/// Each configuration once, in order; throws bad_objective for more than 4096.
std::unique_ptr<Strategy> exhaustive_search(const SearchSpace &space, SearchOptions options = {});

/// Configurations at random, none of them twice.
std::unique_ptr<Strategy> random_search(const SearchSpace &space, SearchOptions options = {});

/// Local search: the generic code, the middle of the space, then whatever differs from the best in
/// one point, as long as something is better by more than its noise; then from near the best again.
/// Tries nothing twice.
std::unique_ptr<Strategy> local_search(const SearchSpace &space, SearchOptions options = {});

/// By name: "exhaustive", "random", "race", "local". Throws bad_objective for any other name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace &space,
                                        SearchOptions options = {});

} // namespace sartor

#endif
