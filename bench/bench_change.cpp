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
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.h"
#include "noise/exact.h"
#include "noise/watched.h"
#include "paths.h"
#include "tuner/change_detection/cost_change_detector.h"
#include "tuner/change_detection/mix.h"
#include "tuner/limits.h"

namespace sartor::bench {

const char *const bench_name = "change";

namespace {

/// A recording by record_hour.cpp, packed by pack_hour.py; README_hour.md describes it.
struct Hour {
  static constexpr double kSampleSeconds = 0.025;
  static constexpr std::size_t kSamplesPerKinds = 40;

  struct Slice {
    unsigned requests;
    double cost; ///< CPU time of a request in microseconds; 0 if there was none.
  };
  using Kinds = std::array<std::uint64_t, 8>;

  std::vector<Slice> sample_count;
  std::vector<Kinds> kinds; ///< One for every kSamplesPerKinds samples.

  /// True if the second variant was active in this sample.
  static bool is_rival(std::size_t sample_time) { return sample_time % 4 == 3; }

  /// Throws std::runtime_error.
  static Hour read(const std::filesystem::path &path);
};

constexpr std::string_view kMagic = "SARTORHOUR1\n";
constexpr std::size_t kSliceBytes = 3;

Hour Hour::read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto byte = [&](std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes.at(at)));
  };
  if (!bytes.starts_with(kMagic))
    throw std::runtime_error(path.string() + ": no recording of an hour");
  std::size_t at = kMagic.size();
  std::size_t count = 0;
  for (int i = 0; i < 4; ++i)
    count += static_cast<std::size_t>(byte(at++)) << (8 * i);
  Hour hour;
  for (std::size_t sample_time = 0; sample_time < count; ++sample_time, at += kSliceBytes)
    hour.sample_count.push_back(
        {byte(at), byte(at + 1) == 0 ? 0 : 10 * std::exp(0.015 * byte(at + 1))});
  while (at < bytes.size()) {
    Kinds &kinds = hour.kinds.emplace_back();
    for (std::uint64_t &kind : kinds) {
      kind = byte(at) + 256 * byte(at + 1);
      at += 2;
    }
  }
  return hour;
}

/// A change that is inserted into a recording.
struct Change {
  std::size_t at = std::numeric_limits<std::size_t>::max(); ///< The first changed step.
  double ours = 1;       ///< Factor on the active variant's cost.
  double rivals = 1;     ///< Factor on the rival's cost.
  double other_kind = 0; ///< Share of requests that become requests of the last kind.
};

/// Change detection that begins at some step of a recording: the classes that an Explorer uses,
/// with its defaults.
class DetectorReplay {
public:
  /// `watched` must outlive the replay.
  DetectorReplay(const Watched &watched, std::size_t from, const Change &change);

  /// Continues up to a step; returns the step at which a change of the workload was detected, if
  /// any.
  std::optional<std::size_t> run(std::size_t end);
  [[nodiscard]] const CostChangeDetector &drift() const { return cost_change_; }
  /// Returns the reason of the alarm.
  [[nodiscard]] const char *because() const;
  [[nodiscard]] double seconds_in_rival() const;

private:
  bool end_window();
  [[nodiscard]] bool is_changed(std::size_t step) const { return step >= change_.at; }

  const Watched &watched_;
  const Change change_;
  std::size_t step_;
  std::size_t window_; ///< The window whose end comes next.
  bool other_mix_ = false;
  CostChangeDetector cost_change_{{}};
  Mix mix_;
};

constexpr double kSampleLength = 1e-3 * static_cast<double>(limits::sample.count());

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
