// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures how an Explorer notices a changed workload. Recordings of programs in which
/// nothing changes (bench/noise) are replayed through the classes of its change detection, with the
/// defaults, from random moments. The figures use programs by which no limit was chosen
/// (noise/README_variants.md): the best variant of each, with the second as its rival, as a
/// decision leaves them. Figures with `earlier` use other recordings, with rivals that cost more
/// (noise/README_watched.md). Two of these were used to choose limits, and the others were
/// examined; the first half of `hour` is not used.
///
/// True changes are inserted after some minutes: (a) the active variant costs 15 % more from then
/// on, and its rival does not; (b) both do, and one request in five is of another kind.
///
/// Replays of one recording overlap. An interval is therefore that of the distinct moments with
/// alarms in the recorded time (exact, of a Poisson rate), scaled to the rate of all replays.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.h"
#include "noise/detector_replay.h"
#include "noise/exact.h"
#include "noise/hour.h"
#include "paths.h"

namespace sartor::bench {

const char *const bench_name = "change";

namespace {

constexpr std::size_t kBeginnings = 1000;
constexpr std::size_t kChanges = 300;
constexpr double kLongest = 600; ///< Seconds of change detection in a replay.
constexpr double kMinute = 60;
constexpr double kKnown = 240; ///< Seconds of change detection before a true change.
constexpr double kTrueChange = 1.15;
constexpr double kOtherKind = 0.2; ///< Share of requests.
/// Additional figures that show the trade-off.
constexpr double kLargerChanges[] = {1.3, 1.5, 2};

struct Recording {
  std::string name;
  Watched watched;
  enum class Use : unsigned char { held_out, earlier, none } use;
};

/// Converts a recording: a step is a sample of fifty milliseconds and a pair of 25 each. Actual
/// pairs are shorter, and are charged as such.
Watched from_hour(const Hour &hour, std::size_t from, std::size_t to) {
  Watched watched;
  watched.step_seconds = 4 * Hour::kSampleSeconds;
  watched.sample_seconds = 2.2e-3;
  watched.work_seconds = 2e-4;
  const std::size_t seconds_per_window = 2;
  for (std::size_t sample_time = from; sample_time + 3 < to; sample_time += 4) {
    const auto cost = [&](std::size_t i) { return hour.sample_count[sample_time + i].cost; };
    watched.steps.push_back({(cost(0) + cost(1)) / 2, cost(2), cost(3)});
  }
  watched.take_samples_for_ours(2, 1);
  for (std::size_t second = from / Hour::kSamplesPerKinds;
       second + seconds_per_window <= to / Hour::kSamplesPerKinds; second += seconds_per_window) {
    Watched::Kinds &kinds = watched.kinds.emplace_back();
    for (std::size_t i = 0; i < seconds_per_window; ++i)
      for (std::size_t kind = 0; kind < Watched::kKinds; ++kind)
        kinds[kind] += hour.kinds[second + i][kind];
  }
  return watched;
}

struct Alarms {
  double first_minutes = 0, in_first_minute = 0; ///< Replays, and those with an alarm.
  double hours = 0, later = 0; ///< Hours after the first minute, and alarms in them.
  std::size_t moments_first = 0, moments_later = 0; ///< Number of distinct minutes with an alarm.
  double recorded = 0;                              ///< Hours.
  double in_rival = 0;                              ///< Share of the time.

  void add(const Alarms &other) {
    first_minutes += other.first_minutes;
    in_first_minute += other.in_first_minute;
    hours += other.hours;
    later += other.later;
    moments_first += other.moments_first;
    moments_later += other.moments_later;
    recorded += other.recorded;
  }
};

Alarms alarms(const Watched &watched, std::mt19937_64 &random) {
  Alarms result{.recorded = watched.seconds() / 3600};
  std::uniform_int_distribution<std::size_t> moment(
      0, watched.steps.size() - static_cast<std::size_t>(kMinute / watched.step_seconds));
  std::set<int> first, later;
  double rival = 0, all = 0;
  for (std::size_t i = 0; i < kBeginnings; ++i) {
    const std::size_t from = moment(random);
    DetectorReplay replay(watched, from, {});
    const std::size_t most = static_cast<std::size_t>(kLongest / watched.step_seconds);
    const auto noticed = replay.run(from + most);
    const std::size_t end = noticed.value_or(std::min(from + most, watched.steps.size()));
    const double seconds = static_cast<double>(end - from) * watched.step_seconds;
    ++result.first_minutes;
    result.hours += std::max(seconds - kMinute, 0.0) / 3600;
    rival += replay.seconds_in_rival();
    all += seconds;
    if (!noticed)
      continue;
    const int minute = static_cast<int>(static_cast<double>(end) * watched.step_seconds / kMinute);
    ++(seconds < kMinute ? result.in_first_minute : result.later);
    if ((seconds < kMinute ? first : later).insert(minute).second)
      std::printf("  alarm at %.0f s, after %.0f s: %s, %.3f -> %.3f\n",
                  static_cast<double>(end) * watched.step_seconds, seconds, replay.because(),
                  replay.drift().before(), replay.drift().now());
  }
  result.moments_first = first.size();
  result.moments_later = later.size();
  result.in_rival = rival / all;
  return result;
}

struct Delays {
  std::vector<double> windows; ///< Infinite if the change was not noticed within a minute.
  std::size_t early = 0;       ///< Alarms before the change.

  void add(const Delays &other) {
    windows.insert(windows.end(), other.windows.begin(), other.windows.end());
    std::ranges::sort(windows);
    early += other.early;
  }
  [[nodiscard]] double quantile(double q) const {
    return windows.empty()
               ? INFINITY
               : windows[static_cast<std::size_t>(q * static_cast<double>(windows.size() - 1))];
  }
  [[nodiscard]] std::size_t missed() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(windows, [](double w) { return !std::isfinite(w); }));
  }
};

Delays delays(const Watched &watched, Change change, std::mt19937_64 &random) {
  const auto steps = [&](double seconds) {
    return static_cast<std::size_t>(seconds / watched.step_seconds);
  };
  std::uniform_int_distribution<std::size_t> moment(steps(kKnown),
                                                    watched.steps.size() - steps(kMinute));
  Delays result;
  for (std::size_t i = 0; i < kChanges; ++i) {
    change.at = moment(random);
    DetectorReplay replay(watched, change.at - steps(kKnown), change);
    const auto noticed = replay.run(change.at + steps(kMinute));
    if (noticed && *noticed < change.at)
      ++result.early;
    else
      result.windows.push_back(noticed ? static_cast<double>(*noticed - change.at + 1) *
                                             watched.step_seconds / Watched::kWindowSeconds
                                       : INFINITY);
  }
  std::ranges::sort(result.windows);
  return result;
}

void print(const char *what, const Delays &delays) {
  std::printf("  %s: noticed after %.1f windows (median), %.1f (9 of 10); missed %zu of %zu\n",
              what, delays.quantile(0.5), delays.quantile(0.9), delays.missed(),
              delays.windows.size());
}

/// Returns a rate over all replays, with the interval of the distinct moments.
Interval rate(double value, std::size_t moments, double recorded) {
  const auto [low, high] = poisson_interval(moments);
  return {value, moments == 0 ? 0 : value * low / static_cast<double>(moments),
          moments == 0 ? high / recorded : value * high / static_cast<double>(moments)};
}

/// The results of several recordings.
struct Findings {
  Alarms alarms;
  Delays by_cost, by_shape;
};

void add_figures(std::vector<Figure> &figures, const std::string &suffix, const Findings &findings,
                 bool is_the_goal) {
  const auto goal = [&](double most) { return is_the_goal ? at_most(most) : Goal{}; };
  const Alarms &all = findings.alarms;
  const auto delay = [&](const std::string &name, const Delays &delays) {
    figures.push_back({name + suffix,
                       "windows",
                       {delays.quantile(0.5), delays.quantile(0.025), delays.quantile(0.975)},
                       goal(5)});
  };
  const Delays &by_cost = findings.by_cost;
  figures.push_back({"alarms_per_hour" + suffix, "1/h",
                     rate(all.later / all.hours, all.moments_later, all.recorded), goal(0.05)});
  figures.push_back(
      {"alarms_first_minute" + suffix, "ratio",
       rate(all.in_first_minute / all.first_minutes, all.moments_first, 60 * all.recorded),
       goal(0.01)});
  delay("windows_to_detect", by_cost);
  if (!findings.by_shape.windows.empty())
    delay("windows_to_detect_by_shape", findings.by_shape);
  const auto [low, high] = binomial_interval(by_cost.missed(), by_cost.windows.size());
  figures.push_back(
      {"missed_share" + suffix,
       "ratio",
       {static_cast<double>(by_cost.missed()) / static_cast<double>(by_cost.windows.size()), low,
        high},
       goal(0.05)});
}

} // namespace

std::vector<Figure> measure() {
  const auto recorded = [](const char *name) {
    return Watched::read(paths::bench_noise() + "/" + name + ".watched");
  };
  const Hour hour = Hour::read(paths::bench_noise() + "/hour.noise");
  const std::size_t half = hour.sample_count.size() / 2 / 80 * 80;
  using Use = Recording::Use;
  std::vector<Recording> recordings{
      {"matrix server", recorded("matrix"), Use::held_out},
      {"router", recorded("router"), Use::held_out},
      {"redis", recorded("redis"), Use::held_out},
      {"hour, first half (tuned on)", from_hour(hour, 0, half), Use::none},
      {"hour, second half", from_hour(hour, half, hour.sample_count.size()), Use::earlier}};
  for (const char *name : {"server", "batch", "turns"})
    recordings.push_back({name, recorded(name), Use::earlier});

  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  Findings held_out, earlier;
  for (const auto &[name, watched, use] : recordings) {
    std::printf("%s, %.0f s:\n", name.c_str(), watched.seconds());
    if (watched.seconds() < kKnown + 1.5 * kMinute)
      throw std::runtime_error(name + ": the recording is too short");
    const Alarms found = alarms(watched, random);
    const Delays cost = delays(watched, {.ours = kTrueChange}, random);
    const bool has_kinds =
        std::ranges::any_of(watched.kinds, [](const auto &kinds) { return kinds[0] > 0; });
    const Delays shape =
        has_kinds
            ? delays(watched,
                     {.ours = kTrueChange, .rivals = kTrueChange, .other_kind = kOtherKind}, random)
            : Delays();
    std::printf("  %.0f of %.0f first minutes with an alarm, %.2f an hour later; the rival is in "
                "force %.2f %% of the time\n",
                found.in_first_minute, found.first_minutes, found.later / found.hours,
                100 * found.in_rival);
    print("(a) only what is in force costs 15 % more", cost);
    for (const double by : kLargerChanges)
      print(("    " + std::to_string(std::lround(100 * by - 100)) + " % more").c_str(),
            delays(watched, {.ours = by}, random));
    if (has_kinds)
      print("(b) all costs 15 % more, and the shape is another", shape);
    if (use == Use::none)
      continue;
    Findings &findings = use == Use::held_out ? held_out : earlier;
    findings.alarms.add(found);
    findings.by_cost.add(cost);
    findings.by_shape.add(shape);
  }
  std::vector<Figure> figures;
  add_figures(figures, "", held_out, true);
  add_figures(figures, "_earlier", earlier, false);
  return figures;
}

} // namespace sartor::bench
