// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include <sartor/strategies.hpp>

#include "tuning.h"

namespace hydro {

namespace {

/// Behind by so much, as the log of a ratio, after two pairs: given up.
constexpr double kHopeless = 0.25;
/// So many of a long search are measured again, so often.
constexpr std::size_t kForemost = 12;
constexpr std::size_t kAgain = 9;
/// Of each trial of a search with many.
constexpr std::size_t kPairsOfMany = 2;

/// Of each loop in an iteration, and of all.
using Ticks = std::array<double, kLoops + 1>;
constexpr std::size_t kAll = kLoops;
using Logs = Ticks; ///< Of ratios.

Ticks ticks_of(Stand &stand, const sartor::Configuration &configuration) {
  Ticks ticks;
  ticks[kAll] = stand.iteration(configuration);
  std::ranges::copy(stand.loops(), ticks.begin());
  return ticks;
}

Logs log_ratio(const Ticks &over, const Ticks &under) {
  Logs logs;
  for (std::size_t i = 0; i < logs.size(); ++i)
    logs[i] = std::log(over[i] / under[i]);
  return logs;
}

/// A mean of logs of ratios, and its standard error.
struct Lead {
  double mean = 0;
  double error = 0;
};

/// Without the quarter at either end: other tenants of the machine come and go. Its error is J. W.
/// Tukey and D. H. McLaughlin's (Sankhya A 25, 1963), from the values with the ends drawn in.
Lead lead_of(const std::vector<Logs> &logs, std::size_t which) {
  std::vector<double> values;
  for (const Logs &log : logs)
    values.push_back(log[which]);
  std::ranges::sort(values);
  const std::size_t cut = values.size() / 4;
  const auto count = static_cast<double>(values.size());
  const auto kept = static_cast<double>(values.size() - 2 * cut);
  Lead lead;
  double all = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i >= cut && i < values.size() - cut)
      lead.mean += values[i] / kept;
    values[i] = std::clamp(values[i], values[cut], values[values.size() - 1 - cut]);
    all += values[i] / count;
  }
  double squares = 0;
  for (const double value : values)
    squares += (value - all) * (value - all);
  if (values.size() > 1)
    lead.error = std::sqrt(squares / (count * (count - 1))) * count / kept;
  return lead;
}

} // namespace

Search search(Stand &stand, sartor::Strategy &strategy, std::size_t pairs) {
  Search result;
  sartor::Configuration incumbent; // at first the default tiles
  Logs incumbent_logs{};           // how far it is ahead of them
  std::mt19937_64 generator(1);
  while (const auto candidate = strategy.ask()) {
    std::vector<Logs> logs;
    bool is_hopeless = false;
    while (logs.size() < pairs && !is_hopeless) {
      const bool candidate_first = (generator() & 1) != 0;
      const Ticks first = ticks_of(stand, candidate_first ? *candidate : incumbent);
      const Ticks second = ticks_of(stand, candidate_first ? incumbent : *candidate);
      logs.push_back(candidate_first ? log_ratio(second, first) : log_ratio(first, second));
      is_hopeless = logs.size() == 2 && std::max(logs[0][kAll], logs[1][kAll]) < -kHopeless;
    }
    sartor::Trial trial{
        .configuration = *candidate, .slices = logs.size(), .cut_short = is_hopeless};
    const Lead lead = lead_of(logs, kAll);
    trial.score = std::exp(incumbent_logs[kAll] + lead.mean);
    trial.error = trial.score * lead.error;
    for (std::size_t loop = 0; loop < kLoops; ++loop) {
      const Lead of_loop = lead_of(logs, loop);
      const double score = std::exp(incumbent_logs[loop] + of_loop.mean);
      trial.parts[kLoopNames[loop]] = {.score = score, .error = score * of_loop.error};
    }
    strategy.tell(trial);
    result.trials.push_back(std::move(trial));
    if (lead.mean > lead.error) {
      incumbent = *candidate;
      for (std::size_t which = 0; which <= kAll; ++which)
        incumbent_logs[which] += lead_of(logs, which).mean;
    }
    result.best.push_back(std::exp(incumbent_logs[kAll]));
  }
  result.chosen = strategy.best().configuration;
  return result;
}

Search long_search(Stand &stand, const sartor::SearchSpace &space, std::size_t most) {
  const auto strategy = sartor::random_search(space, {.most_trials = most, .seed = 99});
  Search result;
  // A single pair is no ground for a new incumbent: all are paired with the default tiles.
  while (const auto candidate = strategy->ask()) {
    const double before = stand.iteration({});
    result.trials.push_back(
        {.configuration = *candidate, .score = before / stand.iteration(*candidate)});
    strategy->tell(result.trials.back());
  }
  std::vector<sartor::Trial> trials = result.trials;
  std::ranges::sort(trials, std::greater<>(), &sartor::Trial::score);
  std::vector<sartor::Configuration> foremost;
  for (std::size_t i = 0; i < std::min(kForemost, trials.size()); ++i)
    foremost.push_back(trials[i].configuration);
  // Random trials are far from the best there is, however many; a search may go on from what it
  // has.
  const sartor::SearchOptions options{.most_trials = most, .seed = 99};
  for (const auto &other : {sartor::coordinate_search(space, options),
                            sartor::separable_search(space, labels_of_loops(), options)})
    foremost.push_back(search(stand, *other, kPairsOfMany).chosen);
  foremost.emplace_back();
  std::vector<sartor::bench::Samples> ticks = stand.interleave(foremost, kAgain);
  const sartor::bench::Samples before = std::move(ticks.back());
  ticks.pop_back();
  const std::size_t best = sartor::bench::fastest(ticks);
  result.chosen = foremost[best];
  result.best = {sartor::bench::ratio(before, ticks[best]).value};
  return result;
}

} // namespace hydro
