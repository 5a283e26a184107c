// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an exploration treats the bounds of its objective.
#include "tuner/exploration.h"

#include <utility>

#include "base/text/value_json.h"
#include "tuner/evidence/looks.h"
#include "tuner/limits.h"

namespace sartor {

/// Measures the active configuration, which may stay, until it is known whether it keeps the
/// bounds, or for as long as a confirmation may take.
Exploration::Outcome Exploration::watch_bounds(const Configuration &configuration,
                                               double error_probability,
                                               const std::stop_token &stop) {
  const double end = seconds_ + longest_confirmation(1, error_probability);
  Looks looks(1);
  for (std::size_t blocks = 1;
       !bounds_.limits().empty() && (blocks <= limits::fewest_blocks_of_bounds || seconds_ < end);
       ++blocks) {
    const auto trials = try_out({configuration}, 1, true, stop);
    if (!trials)
      return Outcome::stopped;
    seconds_ += trials->front().seconds;
    bounds_.add(trials->front(), true);
    if (bounds_.is_out(configuration) || trials->front().failed)
      break;
    if (looks.is_due(blocks) && bounds_.are_surely_kept(configuration, error_probability))
      break;
  }
  return Outcome::sure;
}

/// If all candidates break a bound, decides for the one that exceeds it the least.
Exploration::Outcome Exploration::take_least_bad(std::vector<Configuration> candidates,
                                                 std::size_t bound, double error_probability,
                                                 const std::stop_token &stop) {
  variants_.log("bound_unmet", dump({{"bound", objective_.bounds[bound].of->name},
                                     {"limit", objective_.bounds[bound].limit},
                                     {"candidates", candidates.size()}}));
  meter_.regard_bounds(false);
  evidence_ = Evidence::of_bound(objective_, bound);
  const auto race = race_of(std::move(candidates), error_probability);
  if (const auto outcome = search(*race, false, stop); outcome != Outcome::sure)
    return outcome;
  const Configuration best = race->best().configuration;
  if (best != start_.incumbent)
    return confirm(best, error_probability, stop);
  decision_.verdict = Verdict::no_gain;
  return Outcome::sure;
}

/// Adds the values of the bounded quantities to the decision, and whether the chosen configuration
/// surely keeps the bounds.
void Exploration::account_for_bounds() {
  if (decision_.runner_up && bounds_.is_out(*decision_.runner_up))
    decision_.runner_up.reset();
  const std::vector<Limit> &limits = bounds_.limits();
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto measured_samples = bounds_.measured_samples(decision_.configuration, i);
    std::vector<Sample> samples;
    for (const auto &[value, weight] : measured_samples)
      samples.push_back({value, weight});
    const double error = options_.error_probability / 4 / static_cast<double>(limits.size());
    const auto [mean, radius] = interval_of(total_of(samples), error);
    decision_.bounds.push_back({mean, mean - radius, mean + radius, samples.size()});
    if (limits[i].is_surely_kept(measured_samples, error))
      continue;
    decision_.keeps_bounds = false;
    const Bound &bound = objective_.bounds[i];
    variants_.log("bound_not_kept",
                  dump({{"bound", bound.of->name},
                        {bound.is_most ? "most" : "least", bound.limit},
                        {"text", decision_.configuration.text()},
                        {limits[i].is_share ? "share_above" : "value", mean},
                        {"broken", limits[i].is_surely_broken(measured_samples, error)}}));
  }
}

} // namespace sartor
