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
  std::size_t most_trials = 100; ///< The strategy proposes nothing after this number of trials.
  std::uint64_t seed = 1;
};

/// Proposes each configuration once, in order; throws bad_objective for more than 4096.
std::unique_ptr<Strategy> exhaustive_search(const SearchSpace &space, SearchOptions options = {});

/// Proposes random configurations, none of them twice.
std::unique_ptr<Strategy> random_search(const SearchSpace &space, SearchOptions options = {});

/// Local search: proposes the generic code, the middle of the space, then configurations that
/// differ from the best in one point, as long as one is better by more than its noise; then starts
/// from near the best again. Proposes nothing twice.
std::unique_ptr<Strategy> local_search(const SearchSpace &space, SearchOptions options = {});

/// Creates a strategy by name: "exhaustive", "random", "race", "local". Throws bad_objective for
/// any other name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace &space,
                                        SearchOptions options = {});

} // namespace sartor

#endif
