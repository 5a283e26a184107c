// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/call_record.h"

namespace sartor {

bool CallRecord::add(const runtime::RotationSample &sample) {
  if (sample.plan != plan_ || sample.lane >= lanes_.size())
    return false;
  Thread &thread = threads_[sample.thread];
  thread.calls = sample.calls_so_far;
  if (thread.round != sample.round) {
    thread.round = sample.round;
    thread.batch.assign(lanes_.size(), std::nullopt);
  }
  const auto ticks = static_cast<double>(sample.ticks);
  const Sample batch{.score = static_cast<double>(sample.calls) / ticks, .weight = ticks};
  thread.batch[sample.lane] = batch;
  lanes_[sample.lane].all.push_back(batch);
  const auto pair = [&](std::size_t lane) {
    if (!thread.batch[lane] || !thread.batch.front())
      return;
    lanes_[lane].ours.push_back(*thread.batch[lane]);
    lanes_[lane].incumbents.push_back(*thread.batch.front());
  };
  if (sample.lane != 0)
    pair(sample.lane);
  else
    for (std::size_t lane = 1; lane < lanes_.size(); ++lane)
      pair(lane);
  return true;
}

std::uint64_t CallRecord::calls() const {
  std::uint64_t sum = 0;
  for (const auto &[number, thread] : threads_)
    sum += thread.calls;
  return sum;
}

void CallRecord::clear() {
  for (Lane &lane : lanes_)
    lane = {};
}

} // namespace sartor
