// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_ROUND_H
#define SARTOR_TUNER_SEARCH_ROUND_H

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace sartor {

/// Runners, each of which is asked for once, in random order; results may come in any order. For
/// use by one thread.
class Round {
public:
  void start(std::vector<std::size_t> runners, std::mt19937_64 &random) {
    to_ask_ = std::move(runners);
    std::ranges::shuffle(to_ask_, random);
  }
  /// The next runner, which runs from now on; nothing if all do.
  std::optional<std::size_t> ask() {
    if (to_ask_.empty())
      return std::nullopt;
    asked_.push_back(to_ask_.back());
    to_ask_.pop_back();
    return asked_.back();
  }
  /// Removes and returns the first running one for which `is_it` holds; nothing if there is none.
  template <class IsIt> std::optional<std::size_t> take(IsIt &&is_it) {
    const auto found = std::ranges::find_if(asked_, std::forward<IsIt>(is_it));
    if (found == asked_.end())
      return std::nullopt;
    const std::size_t runner = *found;
    asked_.erase(found);
    return runner;
  }
  [[nodiscard]] bool is_over() const { return to_ask_.empty() && asked_.empty(); }

private:
  std::vector<std::size_t> to_ask_; ///< The next one last.
  std::vector<std::size_t> asked_;  ///< Running.
};

} // namespace sartor

#endif
