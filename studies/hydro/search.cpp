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
  double best = 0; // the log of a ratio
  std::mt19937_64 generator(1);
  while (const auto candidate = strategy.ask()) {
    std::vector<Logs> logs;
    bool is_hopeless = false;
    while (logs.size() < pairs && !is_hopeless) {
      const bool candidate_first = (generator() & 1) != 0;
      const Ticks first = ticks_of(stand, candidate_first ? *candidate : sartor::Configuration());
      const Ticks second = ticks_of(stand, candidate_first ? sartor::Configuration() : *candidate);
      logs.push_back(candidate_first ? log_ratio(second, first) : log_ratio(first, second));
      is_hopeless = logs.size() == 2 && std::max(logs[0][kAll], logs[1][kAll]) < best - kHopeless;
    }
    sartor::Trial trial{
        .configuration = *candidate, .slices = logs.size(), .cut_short = is_hopeless};
    const Lead lead = lead_of(logs, kAll);
    trial.score = std::exp(lead.mean);
    trial.error = trial.score * lead.error;
    for (std::size_t loop = 0; loop < kLoops; ++loop) {
      const Lead of_loop = lead_of(logs, loop);
      const double score = std::exp(of_loop.mean);
      trial.parts[kLoopNames[loop]] = {.score = score, .error = score * of_loop.error};
    }
    strategy.tell(trial);
    result.trials.push_back(std::move(trial));
    best = std::max(best, lead.mean);
    result.best.push_back(std::exp(best));
  }
  result.chosen = strategy.best().configuration;
  return result;
}

LongSearch long_search(Stand &stand, const sartor::SearchSpace &space, std::size_t most) {
  const auto strategy = sartor::random_search(space, {.most_trials = most, .seed = 99});
  std::vector<sartor::Trial> trials;
  while (const auto candidate = strategy->ask()) {
    const double before = stand.iteration({});
    trials.push_back({.configuration = *candidate, .score = before / stand.iteration(*candidate)});
    strategy->tell(trials.back());
  }
  std::ranges::sort(trials, std::greater<>(), &sartor::Trial::score);
  std::vector<sartor::Configuration> foremost;
  for (std::size_t i = 0; i < std::min(kForemost, trials.size()); ++i)
    foremost.push_back(trials[i].configuration);
  const std::size_t random = foremost.size();
  // Random trials are far from the best there is, however many; a search may go on from what it
  // has.
  const sartor::SearchOptions options{.most_trials = most, .seed = 99};
  for (const auto &other : {sartor::coordinate_search(space, options),
                            sartor::separable_search(space, labels_of_loops(), options)})
    foremost.push_back(search(stand, *other, kPairsOfMany).chosen);
  std::vector<sartor::bench::Samples> ticks = stand.interleave(foremost, kAgain);
  const std::size_t best = sartor::bench::fastest(ticks);
  ticks.resize(random);
  return {.of_random = foremost[sartor::bench::fastest(ticks)], .of_all = foremost[best]};
}

} // namespace hydro
