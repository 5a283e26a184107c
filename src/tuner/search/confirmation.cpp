// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/confirmation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/limits.h"

namespace sartor {

namespace {

constexpr std::size_t nominee = 0, incumbent = 1;

} // namespace

Confirmation::Confirmation(Configuration of, Configuration active,
                           std::vector<Configuration> others, const Options &options)
    : options_(options), random_(options.seed) {
  contestants_.push_back({.configuration = std::move(of)});
  contestants_.push_back({.configuration = std::move(active)});
  for (Configuration &other : others)
    contestants_.push_back({.configuration = std::move(other)});
  start_round();
}

void Confirmation::start_round() {
  std::vector<std::size_t> runners;
  for (std::size_t i = 0; i < contestants_.size(); ++i)
    if (const Contestant &each = contestants_[i];
        !each.has_failed && !each.breaks_bound && !each.is_beaten &&
        (!each.is_far || rounds_ % limits::rounds_of_far == 0))
      runners.push_back(i);
  round_.start(std::move(runners), random_);
}

std::optional<Configuration> Confirmation::ask() {
  const auto asked = round_.ask();
  return asked ? std::optional(contestants_[*asked].configuration) : std::nullopt;
}

void Confirmation::tell(const Trial &trial) {
  const auto asked = round_.take(
      [&](std::size_t i) { return contestants_[i].configuration == trial.configuration; });
  if (!asked)
    return;
  Contestant &contestant = contestants_[*asked];
  seconds_ += trial.seconds;
  if (trial.failed || !std::isfinite(trial.score)) {
    contestant.has_failed = true;
    if (*asked == nominee)
      verdict_ = Verdict::no_gain;
  } else {
    contestant.samples.push_back(options_.evidence.sample_of(trial));
    contestant.rounds.push_back(rounds_);
    contestant.bounds.resize(options_.limits.size());
    for (std::size_t i = 0; i < std::min(trial.bounds.size(), options_.limits.size()); ++i)
      if (trial.bounds[i].weight > 0)
        contestant.bounds[i].push_back(trial.bounds[i]);
    contestant.breaks_bound = trial.breaks && !options_.limits.empty();
    if (*asked == nominee && contestant.breaks_bound)
      verdict_ = Verdict::no_gain;
  }
  if (!round_.is_over())
    return;
  ++rounds_;
  if (!verdict_ && looks_.is_due(rounds_))
    look();
  if (!verdict_ && rounds_ >= limits::rounds_of_far * limits::enough_of_far &&
      has_had(options_.most_seconds))
    end();
  if (!verdict_)
    start_round();
}

/// Decides when there is no time left.
void Confirmation::end() {
  verdict_ = contestants_[incumbent].breaks_bound && seems_to_keep_bounds() ? Verdict::better
                                                                            : Verdict::undecided;
}

bool Confirmation::keeps_bounds() const {
  const auto &bounds = contestants_[nominee].bounds;
  const double error =
      options_.error_probability / static_cast<double>(std::max<std::size_t>(bounds.size(), 1));
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (!options_.limits[i].is_surely_kept(bounds[i], error))
      return false;
  return true;
}

bool Confirmation::seems_to_keep_bounds() const {
  const auto &bounds = contestants_[nominee].bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (options_.limits[i].is_exceeded_by(bounds[i]))
      return false;
  return true;
}

/// Logarithm of the odds required for a claim: there is one claim for each of the others, and one
/// to the contrary.
double Confirmation::claim() const {
  const auto claims = static_cast<double>(contestants_.size() - 1);
  return std::log(claims / options_.error_probability);
}

bool Confirmation::has_had(double seconds) const {
  return rounds_ >= limits::most_rounds ||
         (rounds_ >= limits::fewest_rounds && seconds_ >= seconds);
}

/// The nominee's samples of the rounds in which another contestant ran.
std::vector<Sample> Confirmation::nominees_beside(const Contestant &other) const {
  std::vector<Sample> samples;
  for (const std::size_t round : other.rounds)
    if (round < contestants_[nominee].samples.size())
      samples.push_back(contestants_[nominee].samples[round]);
  return samples;
}

/// True if `more` is surely ahead of `than` by more than `margin`, a share of the score of `than`.
bool Confirmation::is_believed(std::span<const Sample> more, std::span<const Sample> than,
                               double margin) const {
  const std::size_t count = std::min(more.size(), than.size());
  if (count == 0)
    return false;
  const auto ahead = options_.evidence.ahead(more.first(count), than.first(count), margin);
  if (!ahead) // for example, scores of zero
    return options_.evidence.is_of_means() && more.back().score > than.back().score &&
           has_had(options_.fewest_seconds);
  return ahead->log_wealth() >= claim();
}

void Confirmation::look() {
  bool is_better = has_had(options_.fewest_seconds) && keeps_bounds();
  for (std::size_t i = incumbent; i < contestants_.size(); ++i) {
    Contestant &other = contestants_[i];
    if (other.has_failed || other.breaks_bound || other.is_beaten)
      continue;
    const std::vector<Sample> ours = nominees_beside(other);
    other.is_far = other.is_far || is_believed(ours, other.samples, limits::far_behind);
    if (!has_had(options_.fewest_seconds) ||
        (other.is_far && ours.size() < limits::enough_of_far)) {
      is_better = false;
      continue;
    }
    // The nominee must be better than the active configuration, and not worse than the others.
    const bool is_active = i == incumbent;
    if (is_believed(other.samples, ours, is_active ? -options_.tolerance : 0)) {
      verdict_ = Verdict::no_gain;
      return;
    }
    const bool is_behind = is_believed(ours, other.samples, is_active ? 0 : -options_.tolerance);
    // A claim that was believed once stays believed: the bound holds at all times. The remaining
    // time is used for the active configuration.
    other.is_beaten = is_behind && !is_active;
    is_better = is_better && is_behind;
  }
  if (is_better)
    verdict_ = Verdict::better;
}

Estimate Confirmation::gain_over(const Contestant &other) const {
  const std::vector<Sample> beside = nominees_beside(other);
  const std::size_t count = std::min(beside.size(), other.samples.size());
  if (count == 0)
    return {};
  return options_.evidence.gain(std::span(beside).first(count),
                                std::span(other.samples).first(count), options_.error_probability);
}

Decision Confirmation::best() const {
  const Verdict verdict = verdict_.value_or(Verdict::undecided);
  const Contestant &chosen = contestants_[verdict == Verdict::better ? nominee : incumbent];
  Decision decision{.configuration = chosen.configuration, .estimate = {}};
  decision.verdict = verdict;
  decision.gain = gain_over(contestants_[incumbent]);
  decision.runner_up = contestants_[verdict == Verdict::better ? incumbent : nominee].configuration;
  if (chosen.samples.empty())
    return decision;
  const auto [mean, spread] =
      options_.evidence.interval_of(chosen.samples, options_.error_probability);
  const double radius = chosen.samples.size() > 1 ? spread : 0;
  decision.estimate = {mean, mean - radius, mean + radius, chosen.samples.size()};
  return decision;
}

} // namespace sartor
