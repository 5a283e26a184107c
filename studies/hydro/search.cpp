// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include <sartor/strategies.hpp>

namespace hydro {

namespace {

/// Behind by so much, as the log of a ratio, after two pairs: given up.
constexpr double kHopeless = 0.25;
/// So many of a long search are measured again, so often.
constexpr std::size_t kForemost = 12;
constexpr std::size_t kAgain = 9;

/// The mean of logs of ratios, and its standard error.
struct Lead {
  double mean = 0;
  double error = 0;
};

Lead lead_of(const std::vector<double> &logs) {
  Lead lead;
  for (const double log : logs)
    lead.mean += log / static_cast<double>(logs.size());
  if (logs.size() < 2)
    return lead;
  double squares = 0;
  for (const double log : logs)
    squares += (log - lead.mean) * (log - lead.mean);
  const auto n = static_cast<double>(logs.size());
  lead.error = std::sqrt(squares / (n * (n - 1)));
  return lead;
}

} // namespace

Search search(Stand &stand, sartor::Strategy &strategy, std::size_t pairs) {
  Search result;
  sartor::Configuration incumbent; // at first the default tiles
  double incumbent_log = 0;        // how far it is ahead of them
  std::mt19937_64 generator(1);
  while (const auto candidate = strategy.ask()) {
    std::vector<double> logs;
    bool is_hopeless = false;
    while (logs.size() < pairs && !is_hopeless) {
      const bool candidate_first = (generator() & 1) != 0;
      const double first = stand.iteration(candidate_first ? *candidate : incumbent);
      const double second = stand.iteration(candidate_first ? incumbent : *candidate);
      logs.push_back(std::log(candidate_first ? second / first : first / second));
      is_hopeless = logs.size() == 2 && std::max(logs[0], logs[1]) < -kHopeless;
    }
    const Lead lead = lead_of(logs);
    const double score = std::exp(incumbent_log + lead.mean);
    result.trials.push_back({.configuration = *candidate,
                             .score = score,
                             .error = score * lead.error,
                             .slices = logs.size(),
                             .cut_short = is_hopeless});
    strategy.tell(result.trials.back());
    if (lead.mean > lead.error) {
      incumbent = *candidate;
      incumbent_log += lead.mean;
    }
    result.best.push_back(std::exp(incumbent_log));
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
