// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace matmul {

namespace {

using Json = nlohmann::ordered_json;

/// The 95 % interval of the mean by the normal approximation: for display, not for decisions.
Throughput estimate(const std::vector<double> &rates) {
  Throughput result{.windows = rates.size()};
  const auto count = static_cast<double>(rates.size());
  for (const double rate : rates)
    result.mean += rate / count;
  double squares = 0;
  for (const double rate : rates)
    squares += (rate - result.mean) * (rate - result.mean);
  const double radius = count > 1 ? 1.96 * std::sqrt(squares / (count - 1) / count) : 0;
  result.low = result.mean - radius;
  result.high = result.mean + radius;
  return result;
}

/// The server's counter of multiply-adds at a time between samples, by interpolation.
double madds_at(const std::vector<Sample> &samples, double time) {
  const auto after =
      std::lower_bound(samples.begin(), samples.end(), time,
                       [](const Sample &sample, double moment) { return sample.time < moment; });
  if (after == samples.end())
    return static_cast<double>(samples.back().madds);
  if (after == samples.begin())
    return 0;
  return static_cast<double>(after->madds) - after->rate * (after->time - time);
}

/// Seconds after `begin` until the rate reaches `wanted`, both in the second that follows and on
/// average to the end; the whole phase if it never does.
double seconds_until(const std::vector<Sample> &samples, double begin, double end, double wanted) {
  const double done = madds_at(samples, end);
  const auto rate = [&](double from, double to) {
    return to > from ? (madds_at(samples, to) - madds_at(samples, from)) / (to - from) : 0;
  };
  for (const Sample &sample : samples)
    if (sample.time >= begin && sample.time < end && rate(sample.time, end) >= wanted &&
        rate(sample.time, std::min(sample.time + 1, end)) >= wanted && done > 0)
      return sample.time - begin;
  return end - begin;
}

PhaseSummary summarize_phase(const RunReport &run_report, const ReportPhase &phase,
                             const Ideal &measured) {
  const double end = phase.end.value_or(run_report.samples.back().time);
  const auto within = [&](double time) { return phase.begin < time && time <= end; };

  PhaseSummary summary{.n = phase.n, .begin = phase.begin, .seconds = end - phase.begin};
  std::vector<double> generic;
  for (const ReportTrial &trial : run_report.trials)
    if (trial.variant == "{}" && within(trial.time) && trial.time - trial.seconds >= phase.begin)
      generic.push_back(trial.score);
  if (!generic.empty())
    summary.generic = estimate(generic);

  std::vector<const ReportDecision *> decisions;
  for (const ReportDecision &decision : run_report.decisions)
    if (within(decision.time))
      decisions.push_back(&decision);
  double settled = phase.begin;
  if (!decisions.empty()) {
    const ReportDecision &last = *decisions.back();
    settled = last.time;
    summary.variant = last.variant;
    summary.chosen = {last.mean, last.low, last.high, last.windows};
  }

  // A sample covers the time since the previous one.
  std::vector<double> steady;
  constexpr double sample_seconds = 0.11;
  for (const Sample &sample : run_report.samples)
    if (within(sample.time) && !sample.exploring && sample.time - settled > sample_seconds) {
      steady.push_back(sample.rate);
      if (decisions.empty())
        summary.variant = sample.variant;
    }
  if (decisions.empty() && steady.empty()) { // The phase ended before a decision.
    for (const ReportTrial &trial : run_report.trials)
      if (within(trial.time))
        summary.chosen.mean = std::max(summary.chosen.mean, trial.score);
    summary.chosen.low = summary.chosen.high = summary.chosen.mean;
    summary.variant = "undecided";
  } else if (decisions.empty()) {
    summary.chosen = estimate(steady);
  }
  const double own = steady.empty() ? summary.chosen.mean : estimate(steady).mean;
  summary.ideal = measured.rate > 0 ? measured.rate : own;
  summary.best = measured.variant;
  constexpr double nearly = 0.9;
  summary.seconds_to_best =
      seconds_until(run_report.samples, phase.begin, end, nearly * summary.ideal);
  summary.ideal_madds = summary.ideal * summary.seconds;
  const double done = madds_at(run_report.samples, end) - madds_at(run_report.samples, phase.begin);
  summary.share_of_ideal = summary.ideal_madds > 0 ? done / summary.ideal_madds : 0;
  return summary;
}

Json to_json(const Throughput &throughput) {
  return {{"mean", throughput.mean},
          {"low", throughput.low},
          {"high", throughput.high},
          {"windows", throughput.windows}};
}

std::string text(const Throughput &throughput) {
  std::array<char, 64> line;
  std::snprintf(line.data(), line.size(), "%5.2f [%.2f, %.2f]", throughput.mean * 1e-9,
                throughput.low * 1e-9, throughput.high * 1e-9);
  return line.data();
}

} // namespace

std::optional<double> PhaseSummary::ratio() const {
  if (!generic || generic->mean <= 0)
    return {};
  return chosen.mean / generic->mean;
}

Summary summarize(const RunReport &run_report, const std::map<std::uint64_t, Ideal> &ideals) {
  Summary summary{.compares_cost = std::ranges::any_of(
                      run_report.explorations,
                      [](const ReportExploration &each) { return each.compares_cost; }),
                  .trials = run_report.trials.size(),
                  .explorations = run_report.decisions.size()};
  if (run_report.samples.empty())
    return summary;
  summary.guard_failures = run_report.samples.back().guard_failures;
  double done = 0;
  double ideal = 0;
  for (const ReportPhase &phase : run_report.phases) {
    if (phase.begin >= run_report.samples.back().time)
      continue;
    const auto measured = ideals.find(phase.n);
    const PhaseSummary &one = summary.phases.emplace_back(
        summarize_phase(run_report, phase, measured == ideals.end() ? Ideal() : measured->second));
    summary.seconds_to_best = std::max(summary.seconds_to_best, one.seconds_to_best);
    done += one.share_of_ideal * one.ideal_madds;
    ideal += one.ideal_madds;
  }
  summary.share_of_ideal = ideal > 0 ? done / ideal : 0;
  return summary;
}

Json to_json(const Summary &summary, const Json &load) {
  Json phases = Json::array();
  for (const PhaseSummary &phase : summary.phases)
    phases.push_back({{"n", phase.n},
                      {"seconds", phase.seconds},
                      {"generic", phase.generic ? to_json(*phase.generic) : Json()},
                      {"variant", phase.variant},
                      {"chosen", to_json(phase.chosen)},
                      {"ratio", phase.ratio() ? Json(*phase.ratio()) : Json()},
                      {"ideal", phase.ideal},
                      {"best", phase.best.empty() ? Json() : Json::parse(phase.best)},
                      {"seconds_to_best", phase.seconds_to_best},
                      {"share_of_ideal", phase.share_of_ideal}});
  return {{"unit", "madd/s"},
          {"phases", phases},
          {"seconds_to_best", summary.seconds_to_best},
          {"share_of_ideal", summary.share_of_ideal},
          {"trials", summary.trials},
          {"explorations", summary.explorations},
          {"guard_failures", summary.guard_failures},
          {"load", load}};
}

std::string table(const Summary &summary, const Json &load) {
  std::string text_so_far;
  const auto row = [&](const char *format, auto... values) {
    std::array<char, 300> line;
    std::snprintf(line.data(), line.size(), format, values...);
    text_so_far += line.data();
  };
  row("%5s  %-20s %-20s %-16s %6s %9s %9s\n", "N", "generic, G madd/s", "chosen, G madd/s",
      "configuration", "ratio", "to best", "of ideal");
  for (const PhaseSummary &phase : summary.phases) {
    std::array<char, 16> ratio{"-"};
    if (phase.ratio())
      std::snprintf(ratio.data(), ratio.size(), "%.2f", *phase.ratio());
    row("%5lu  %-20s %-20s %-16s %6s %7.2f s %7.1f %%\n", phase.n,
        phase.generic ? text(*phase.generic).c_str() : "not tried", text(phase.chosen).c_str(),
        phase.variant.c_str(), ratio.data(), phase.seconds_to_best, 100 * phase.share_of_ideal);
  }
  if (summary.compares_cost)
    row("\nOther programs had the processors, or requests came too slowly: generic and chosen are "
        "per second of processor time.\n");
  row("\n%.1f %% of the ideal throughput over all; %zu trials in %zu explorations, %lu guard "
      "failures\n",
      100 * summary.share_of_ideal, summary.trials, summary.explorations, summary.guard_failures);
  row("%lu products, %lu of them checked against the plain triple loop, %lu wrong\n",
      load.value("requests", 0UL), load.value("checked", 0UL), load.value("wrong", 0UL));
  return text_so_far;
}

} // namespace matmul
