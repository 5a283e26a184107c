// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "detector_replay.h"

#include <algorithm>

#include "tuner/limits.h"

namespace sartor::bench {

namespace {

constexpr double kSampleLength = 1e-3 * static_cast<double>(limits::sample.count());

} // namespace

DetectorReplay::DetectorReplay(const Watched &watched, std::size_t from, const Change &change)
    : watched_(watched), change_(change), step_(from),
      window_(static_cast<std::size_t>(static_cast<double>(from) * watched.step_seconds /
                                       Watched::kWindowSeconds) +
              1) {}

double DetectorReplay::seconds_in_rival() const {
  return static_cast<double>(cost_change_.pairs()) * watched_.sample_seconds;
}

std::optional<std::size_t> DetectorReplay::run(std::size_t end) {
  for (end = std::min(end, watched_.steps.size()); step_ < end; ++step_) {
    const Watched::Step &step = watched_.steps[step_];
    const double ours = is_changed(step_) ? change_.ours : 1;
    const double rivals = is_changed(step_) ? change_.rivals : 1;
    cost_change_.sample(step.sample * ours, kSampleLength);
    const double rest = watched_.step_seconds - kSampleLength;
    if (cost_change_.next() == CostChangeDetector::Next::pair)
      cost_change_.pair(
          {step.ours * ours, step.rivals * rivals, watched_.sample_seconds, watched_.work_seconds},
          rest);
    else
      cost_change_.pass(rest);
    if (static_cast<double>(step_ + 1) * watched_.step_seconds >=
        static_cast<double>(window_) * Watched::kWindowSeconds)
      other_mix_ = end_window();
    if (other_mix_ || cost_change_.next() == CostChangeDetector::Next::changed)
      return step_;
  }
  return std::nullopt;
}

/// Uses only windows that were observed completely and had one workload.
bool DetectorReplay::end_window() {
  const std::size_t index = window_++ - 1;
  if (index >= watched_.kinds.size())
    return false;
  PointProfile point;
  const double moved = is_changed(step_) ? change_.other_kind : 0;
  std::uint64_t all = 0;
  for (const std::uint64_t count : watched_.kinds[index])
    all += count;
  for (std::size_t kind = 0; kind < Watched::kKinds; ++kind) {
    const double more = kind + 1 == Watched::kKinds ? moved * static_cast<double>(all) : 0;
    const auto count = static_cast<std::uint64_t>(
        (1 - moved) * static_cast<double>(watched_.kinds[index][kind]) + more);
    point.entries.push_back({.inputs = {Value(kind)}, .count = count});
    point.count += count;
  }
  return mix_.changed(Shape::between({}, Profile("", {{"kind", point}})));
}

const char *DetectorReplay::because() const {
  if (other_mix_)
    return "shape";
  return cost_change_.reason() == CostChangeDetector::Reason::lost_ground ? "cost" : "rival";
}

} // namespace sartor::bench
