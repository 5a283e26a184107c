// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/bounds_seen.h"

#include <algorithm>
#include <span>

namespace sartor {

void BoundsSeen::add(const Trial &trial, bool is_block) {
  if (trial.breaks)
    out_.insert(trial.configuration);
  if (!is_block || trial.bounds.empty())
    return;
  auto &seen = seen_[trial.configuration];
  seen.resize(limits_.size());
  for (std::size_t i = 0; i < std::min(trial.bounds.size(), limits_.size()); ++i)
    if (trial.bounds[i].weight > 0)
      seen[i].push_back(trial.bounds[i]);
}

void BoundsSeen::clear() {
  out_.clear();
  seen_.clear();
}

bool BoundsSeen::are_surely_kept(const Configuration &configuration,
                                 double error_probability) const {
  for (std::size_t i = 0; i < limits_.size(); ++i)
    if (!limits_[i].is_surely_kept(measured_samples(configuration, i),
                                   error_probability / static_cast<double>(limits_.size())))
      return false;
  return true;
}

std::vector<BoundSample> BoundsSeen::measured_samples(const Configuration &configuration,
                                                      std::size_t bound) const {
  const auto found = seen_.find(configuration);
  return found == seen_.end() ? std::vector<BoundSample>() : found->second.at(bound);
}

double BoundsSeen::excess_of(const Trial &trial) const {
  double most = 0;
  for (std::size_t i = 0; i < std::min(limits_.size(), trial.bounds.size()); ++i)
    most = std::max(most, limits_[i].excess_of(std::span(trial.bounds).subspan(i, 1)));
  return most;
}

} // namespace sartor
