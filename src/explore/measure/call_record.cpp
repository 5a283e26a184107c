// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/measure/call_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sartor {

double middle_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t quarter = samples.size() / 4;
  const auto first = samples.begin() + static_cast<std::ptrdiff_t>(quarter);
  const auto last = samples.end() - static_cast<std::ptrdiff_t>(quarter);
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

bool CallRecord::add(const dispatch::RotationSample &sample) {
  if (sample.plan != plan_ || sample.lane >= behind_.size())
    return false;
  Round &round = rounds_[sample.thread];
  if (round.number != sample.round) {
    round.number = sample.round;
    round.cost.assign(behind_.size(), std::numeric_limits<double>::quiet_NaN());
  }
  const double cost =
      std::log(static_cast<double>(sample.ticks) / static_cast<double>(sample.calls));
  round.cost[sample.lane] = cost;
  const double incumbent = round.cost.front();
  if (sample.lane == 0) {
    behind_.front().push_back(cost);
    for (std::size_t lane = 1; lane < behind_.size(); ++lane)
      if (!std::isnan(round.cost[lane]))
        behind_[lane].push_back(round.cost[lane] - cost);
  } else if (!std::isnan(incumbent)) {
    behind_[sample.lane].push_back(cost - incumbent);
  }
  return true;
}

void CallRecord::clear() {
  for (auto &samples : behind_)
    samples.clear();
}

} // namespace sartor
