// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/guardrail.h"

#include <algorithm>
#include <utility>

namespace sartor {

Guardrail::Guardrail(std::span<const Bound> bounds, double error_probability)
    : limits_(bounds.begin(), bounds.end()),
      error_probability_(error_probability /
                         static_cast<double>(std::max<std::size_t>(bounds.size(), 1))) {}

void Guardrail::add(const Configuration &configuration,
                    std::span<const BoundSample> measured_samples) {
  if (limits_.empty() || measured_samples.size() != limits_.size())
    return;
  Seen &seen = seen_[configuration];
  seen.measured_samples.resize(limits_.size());
  for (std::size_t i = 0; i < limits_.size(); ++i)
    if (measured_samples[i].weight > 0)
      seen.measured_samples[i].push_back(measured_samples[i]);
  const std::size_t count =
      std::ranges::max(seen.measured_samples, {}, &std::vector<BoundSample>::size).size();
  if (seen.broken || !seen.looks.is_due(count))
    return;
  for (std::size_t i = 0; i < limits_.size() && !seen.broken; ++i)
    if (limits_[i].is_surely_broken(seen.measured_samples[i], error_probability_))
      seen.broken = i;
}

std::optional<std::size_t> Guardrail::broken_by(const Configuration &configuration) const {
  const auto seen = seen_.find(configuration);
  return seen == seen_.end() ? std::nullopt : seen->second.broken;
}

bool Guardrail::is_broken_by(const Configuration &configuration,
                             std::span<const BoundSample> so_far) const {
  const auto seen = seen_.find(configuration);
  if (seen != seen_.end() && seen->second.broken)
    return true;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    // A bound that the current sample keeps cannot be the one that it breaks.
    if (!limits_[i].is_exceeded_by(so_far.subspan(i, 1)))
      continue;
    std::vector<BoundSample> all;
    if (seen != seen_.end())
      all = seen->second.measured_samples[i];
    all.push_back(so_far[i]);
    if (limits_[i].is_surely_broken(all, error_probability_))
      return true;
  }
  return false;
}

} // namespace sartor
