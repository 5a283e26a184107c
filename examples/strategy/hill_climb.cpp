// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hill_climb.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

HillClimb::HillClimb(std::vector<sartor::Configuration> candidates)
    : candidates_(std::move(candidates)), scores_(candidates_.size()),
      here_(candidates_.size() / 2) {}

std::optional<sartor::Configuration> HillClimb::ask() {
  for (;;) {
    // Turn about, so that a disturbance meets all three alike.
    if (const std::size_t next = least_measured(); scores_[next].size() < kWindows)
      return candidates_[next];
    std::size_t top = here_;
    for (std::size_t i = low(); i <= high(); ++i)
      if (median(i) > median(top))
        top = i;
    if (top == here_)
      return std::nullopt;
    here_ = top;
  }
}

void HillClimb::tell(const sartor::Trial &trial) {
  const auto found = std::find(candidates_.begin(), candidates_.end(), trial.configuration);
  // A candidate that cannot be run is as bad as can be; it counts, or it would be asked for ever.
  scores_[static_cast<std::size_t>(found - candidates_.begin())].push_back(
      trial.failed ? -std::numeric_limits<double>::infinity() : trial.score);
}

sartor::Decision HillClimb::best() const {
  if (scores_[here_].empty())
    return {};
  const auto [lowest, highest] = std::minmax_element(scores_[here_].begin(), scores_[here_].end());
  return {candidates_[here_], {median(here_), *lowest, *highest, scores_[here_].size()}};
}

std::size_t HillClimb::high() const { return std::min(here_ + 1, candidates_.size() - 1); }

std::size_t HillClimb::least_measured() const {
  std::size_t least = low();
  for (std::size_t i = low(); i <= high(); ++i)
    if (scores_[i].size() < scores_[least].size())
      least = i;
  return least;
}

double HillClimb::median(std::size_t candidate) const {
  std::vector<double> sorted = scores_[candidate];
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}
