// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The strategies that come with Sartor; race.hpp has one more. Each is deterministic: the same
/// seed and the same results give the same proposals.
#ifndef SARTOR_STRATEGIES_HPP
#define SARTOR_STRATEGIES_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
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

/// Coordinate search for ordered settings: the generic code, the middle of the space, then points
/// of a kind together (labels that differ in digits only and have the same settings: `Ti1`, `Ti2`)
/// from coarse to fine, then parts of a kind, then each point by itself to its neighbours. Starts
/// again elsewhere when no neighbour is better by more than noise. Tries nothing twice.
std::unique_ptr<Strategy> coordinate_search(const SearchSpace &space, SearchOptions options = {});

/// A bandit for each dimension, which are rewarded by the same trials: finds what helps
/// independently of the rest. The generic code first; tries nothing twice: where the bandits are
/// sure, it tries what comes next to the best.
std::unique_ptr<Strategy> factorised_bandits(const SearchSpace &space, SearchOptions options = {});

/// For systems whose parts can be timed apart, and points that concern one part each: name of a
/// part → labels. A trial tries something new in every part, each searched as by
/// coordinate_search() and told its own score (Trial::parts; where that is missing, the whole one).
/// So do labels that are in no part, which are told the whole score. The last trial is of what is
/// best for each part, all together; the best trial wins. Throws unknown_label, and bad_objective
/// for a label in two parts.
std::unique_ptr<Strategy>
separable_search(const SearchSpace &space,
                 const std::map<std::string, std::set<std::string>> &parts,
                 SearchOptions options = {});

/// By name: "exhaustive", "random", "race", "coordinate", "bandits". Throws bad_objective for any
/// other name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace &space,
                                        SearchOptions options = {});

} // namespace sartor

#endif
