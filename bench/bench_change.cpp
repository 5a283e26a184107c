// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How an Explorer notices a changed workload: the hour of a real program in bench/noise, replayed
/// through the class that the Explorer's watch uses. In the hour the offered load is halved and
/// doubled, and other programs come and go; nothing in it is a change.
///
/// In the recording, each fourth slice of 25 ms has the rival in force. A beat is a slice of the
/// incumbent's; a pair is a slice of the rival's and the two of the incumbent's around it, which
/// takes as long as it took in the recording: an Explorer that compares alternates, and gets twice
/// as many. True changes begin at random moments, with a monitor that has watched for a minute:
/// (a) what is in force costs 15 % more from there on, and its rival does not; (b) both do, and one
/// request in five is of another kind.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "explore/watch/change_monitor.h"
#include "figures.h"
#include "noise/hour.h"

namespace sartor::bench {

const char *const bench_name = "change";

namespace {

constexpr std::size_t kWindow = 80; ///< Slices: two seconds.
constexpr std::size_t kWarmUp = 2400;
constexpr std::size_t kGivenUp = 2400;
constexpr std::size_t kChanges = 300;
constexpr double kTrueChange = 1.15;
constexpr double kOtherKind = 0.2; ///< Of requests.
constexpr double kTolerance = 0.01;

struct Change {
  std::size_t at = std::numeric_limits<std::size_t>::max();
  bool rival_too = false;
};

Shape shape_of(const Hour &hour, std::size_t window, const Change &change) {
  std::array<double, 8> counts{};
  const std::size_t seconds = kWindow / Hour::kSlicesPerKinds;
  for (std::size_t second = window * seconds; second < (window + 1) * seconds; ++second) {
    const std::size_t begin = second * Hour::kSlicesPerKinds;
    const double after = !change.rival_too || change.at >= begin + Hour::kSlicesPerKinds ? 0
                         : change.at <= begin
                             ? 1
                             : 1 - static_cast<double>(change.at - begin) / Hour::kSlicesPerKinds;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      const auto seen = static_cast<double>(hour.kinds[second][kind]);
      counts[kind] += seen * (1 - kOtherKind * after);
      counts.back() += seen * kOtherKind * after;
    }
  }
  PointProfile point;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const auto count = static_cast<std::uint64_t>(counts[kind]);
    point.entries.push_back({.inputs = {Value(kind)}, .count = count});
    point.count += count;
  }
  return Shape::between({}, Profile("", {{"kind", point}}));
}

/// A monitor that goes through the hour.
class Replay {
public:
  Replay(const Hour &hour, std::size_t from, Change change)
      : hour_(hour), slice_(from / kWindow * kWindow), change_(change) {}

  /// Goes on until the monitor has noticed a change; nothing at the end.
  std::optional<std::size_t> run(std::size_t end) {
    end = std::min(end, hour_.slices.size() / kWindow * kWindow - 1);
    for (++slice_; slice_ < end; ++slice_) {
      const bool comparing = monitor_.next() == ChangeMonitor::Next::compare;
      if (Hour::is_rival(slice_)) {
        if (comparing && cost(slice_ - 1) > 0 && cost(slice_ + 1) > 0)
          monitor_.pair(std::sqrt(cost(slice_ - 1) * cost(slice_ + 1)), cost(slice_));
      } else if (!comparing) {
        monitor_.beat(cost(slice_));
      }
      if (monitor_.next() != ChangeMonitor::Next::changed && slice_ % kWindow == kWindow - 1)
        monitor_.window(shape_of(hour_, slice_ / kWindow, change_));
      if (monitor_.next() == ChangeMonitor::Next::changed)
        return slice_;
    }
    return std::nullopt;
  }
  [[nodiscard]] const ChangeMonitor &monitor() const { return monitor_; }

private:
  [[nodiscard]] double cost(std::size_t slice) const {
    const bool more = slice >= change_.at && (change_.rival_too || !Hour::is_rival(slice));
    return hour_.slices[slice].cost * (more ? kTrueChange : 1);
  }

  const Hour &hour_;
  std::size_t slice_;
  const Change change_;
  ChangeMonitor monitor_{{.tolerance = kTolerance}};
};

struct Delays {
  std::vector<double> windows; ///< Sorted; infinite where it was not noticed.
  std::size_t early = 0;       ///< Alarms before the change.
};

Delays delays(const Hour &hour, bool rival_too) {
  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  std::uniform_int_distribution<std::size_t> moment(kWarmUp, hour.slices.size() - kGivenUp);
  Delays result;
  for (std::size_t i = 0; i < kChanges; ++i) {
    const std::size_t at = moment(random);
    Replay replay(hour, at - kWarmUp, {at, rival_too});
    const auto noticed = replay.run(at + kGivenUp);
    if (noticed && *noticed < at)
      ++result.early;
    else
      result.windows.push_back(noticed ? static_cast<double>(*noticed - at + 1) / kWindow
                                       : std::numeric_limits<double>::infinity());
  }
  std::ranges::sort(result.windows);
  return result;
}

void print(const char *what, const Delays &delays) {
  const auto &windows = delays.windows;
  const auto missed = std::ranges::count_if(windows, [](double w) { return !std::isfinite(w); });
  std::printf("%s: noticed after %.2f windows (median), %.2f (9 of 10), %.2f (worst); missed %td "
              "of %zu; %zu alarms before\n",
              what, windows[windows.size() / 2], windows[windows.size() * 9 / 10], windows.back(),
              missed, windows.size(), delays.early);
}

Figure figure(const char *name, const Delays &delays) {
  const auto &windows = delays.windows;
  return {name,
          "windows",
          {windows[windows.size() / 2], windows[windows.size() / 40],
           windows[windows.size() * 39 / 40]},
          at_most(3)};
}

} // namespace

std::vector<Figure> measure() {
  const char *other = std::getenv("SARTOR_BENCH_HOUR");
  const Hour hour = Hour::read(other ? other : SARTOR_BENCH_NOISE "/hour.noise");
  double alarms = 0;
  std::size_t suspicions = 0, pairs = 0;
  for (std::size_t from = 0; from < hour.slices.size();) {
    Replay replay(hour, from, {});
    const auto noticed = replay.run(hour.slices.size());
    suspicions += replay.monitor().suspicions();
    pairs += replay.monitor().pairs();
    if (noticed) {
      ++alarms;
      std::printf("alarm at %.1f s: %d, %.3f -> %.3f, distance %.3f\n",
                  static_cast<double>(*noticed) * Hour::kSliceSeconds,
                  static_cast<int>(replay.monitor().reason()), replay.monitor().before(),
                  replay.monitor().now(), replay.monitor().distance());
    }
    from = noticed ? *noticed + kWindow : hour.slices.size();
  }
  const double seconds = static_cast<double>(hour.slices.size()) * Hour::kSliceSeconds;
  std::printf("%.0f s recorded; a window is %.1f s; %zu suspicions, %zu pairs to check them, for "
              "which the rival was in force for %.1f %% of the time\n",
              seconds, kWindow * Hour::kSliceSeconds, suspicions, pairs,
              100 * static_cast<double>(pairs) * Hour::kSliceSeconds / seconds);
  const Delays cost = delays(hour, false);
  const Delays shape = delays(hour, true);
  print("(a) only what is in force costs 15 % more", cost);
  print("(b) all costs 15 % more, and the shape is another", shape);
  const Figure by_cost = figure("windows_to_detect_by_cost", cost);
  const Figure by_shape = figure("windows_to_detect_by_shape", shape);
  Figure worse = by_cost.measured.value > by_shape.measured.value ? by_cost : by_shape;
  worse.name = "windows_to_detect";
  return {{"false_alarms", "1/h", {alarms, alarms, alarms}, at_most(0)}, worse, by_cost, by_shape};
}

} // namespace sartor::bench
