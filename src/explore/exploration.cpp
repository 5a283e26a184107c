// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/exploration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include <sartor/strategies.hpp>

#include "explore/evidence/interval.h"
#include "explore/keep/trial_json.h"
#include "explore/search/confirmation.h"
#include "observe/result.h"
#include "value/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

namespace {

/// So many configurations are raced; more are searched first.
constexpr std::uint64_t most_raced = 64;
/// How many of those that a search found best are raced in the end.
constexpr std::size_t finalists = 4;
/// A workload that does not stand still must not keep a race from ending.
constexpr int most_restarts = 3;
/// Configurations outside of the space that a strategy may propose in a row.
constexpr int most_outside = 10;
/// So many trials with exactly the same score say that the objective does not react at all.
constexpr std::size_t enough_to_be_constant = 20;
/// ... and so many that have led to a decision.
constexpr std::size_t fewest_to_be_constant = 4;
/// Trials after which to look whether something better than the incumbent has been found.
constexpr std::size_t trials_per_look = 8;
/// Nominees that may lose their confirmation before what was in force stays for good.
constexpr int most_attempts = 4;
/// So many are compiled at a time, so that there is always one while another is tried, and slices
/// of such a trial.
constexpr std::size_t compiles_ahead = 2, slices_when_ready = 8;
/// What is read at a time to confirm: stalls up to this long are allowed for before the first.
constexpr std::chrono::nanoseconds block = 20ms;
/// How many times as long as wanted a confirmation may last.
constexpr double longest_confirmation = 5;
/// A workload that is off by this share for so long, in seconds, has changed.
constexpr double moved_by = 0.25, moved_for_good = 4;
/// How many of a configuration's first scores later ones are compared with.
constexpr std::size_t earlier_scores = 4;

Error threw(const std::string &what) {
  return Error({ErrorCode::bad_strategy, "strategy", "threw: " + what,
                "mend the strategy; what was in force before is in force again"});
}

/// What a strategy throws becomes bad_strategy.
template <class Call> auto guarded(Call &&call) {
  try {
    return std::forward<Call>(call)();
  } catch (const Error &error) {
    throw error.code() == ErrorCode::bad_strategy ? error : threw(error.what());
  } catch (const std::exception &error) {
    throw threw(error.what());
  } catch (...) {
    throw threw("something of unknown type");
  }
}

} // namespace

Exploration::Exploration(Variants &variants, Meter &meter, const Objective &objective,
                         const ExplorerOptions &options, const SearchSpace &space, Start start)
    : variants_(variants), meter_(meter), objective_(objective), options_(options), space_(space),
      start_(std::move(start)),
      races_all_(!start_.candidates.empty() ||
                 (!options.strategy && space.combinations() <= most_raced)),
      trials_(variants), incumbent_(start_.incumbent) {}

std::optional<Decision> Exploration::run(const std::stop_token &stop) {
  variants_.log("explore_start", dump({{"candidates", space_.combinations()},
                                       {"objective", objective_.name},
                                       {"unit", objective_.unit}}));
  try {
    meter_.set_incumbent(incumbent_);
    Outcome outcome = explore(stop);
    for (int restarts = 0; outcome == Outcome::lags ||
                           (outcome == Outcome::workload_changed && restarts < most_restarts);
         restarts += outcome == Outcome::workload_changed) {
      if (start_.keeper)
        start_.keeper->start_anew();
      outcome = explore(stop);
    }
    trials_.flush();
    if (outcome == Outcome::stopped) {
      variants_.put_in_force(start_.incumbent);
      return std::nullopt;
    }
    return decide();
  } catch (...) {
    trials_.flush();
    variants_.put_in_force(start_.incumbent);
    throw;
  }
}

/// Search, race, confirm. What loses its confirmation goes, and those that had only lost to it run
/// again.
Exploration::Outcome Exploration::explore(const std::stop_token &stop) {
  decision_ = {.configuration = start_.incumbent, .estimate = {}};
  adopt(start_.incumbent); // again, if this is
  std::vector<Configuration> field = start_.candidates;
  if (races_all_ && field.empty())
    field = space_.all();
  std::vector<Configuration> hints = start_.hints;
  std::erase_if(hints, [&](const auto &hint) { return !may_be_tried(hint); });
  if (!make_ready({hints, races_all_ ? field : std::vector<Configuration>()}, stop))
    return Outcome::stopped;
  if (!races_all_) {
    const auto strategy = first_strategy();
    if (const auto outcome = search(*strategy, false, stop); outcome != Outcome::sure)
      return outcome;
    if (is_constant(enough_to_be_constant))
      return Outcome::sure;
    field = best_few(*strategy);
    field.insert(field.end(), hints.begin(), hints.end());
  }
  // Half of the error is the races', half the confirmations', each time half of what is left.
  double error = options_.error_probability / 2;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    error /= attempt == 0 ? 1 : 2;
    const auto race = race_of(std::move(field), error);
    if (const auto outcome = search(*race, false, stop); outcome != Outcome::sure)
      return outcome;
    const Decision best = race->best();
    if (best.estimate.windows == 0 || is_constant(fewest_to_be_constant))
      return Outcome::sure;
    decision_.estimate = best.estimate;
    decision_.runner_up = race->runner_up();
    if (best.configuration == start_.incumbent) {
      decision_.verdict = Verdict::no_gain;
      return Outcome::sure;
    }
    if (const auto outcome = confirm(best.configuration, error, stop); outcome != Outcome::sure)
      return outcome;
    if (decision_.verdict != Verdict::no_gain)
      return Outcome::sure;
    adopt(start_.incumbent);
    field = race->without(best.configuration);
    if (field.size() <= 1)
      return Outcome::sure;
  }
  return Outcome::sure;
}

/// Compiles one after the other. While the next ones are being compiled, those that are there are
/// tried against the best so far: a good one is in force long before the last has come. False if
/// stopped.
bool Exploration::make_ready(CompileOrder order, const std::stop_token &stop) {
  std::vector<Making> making;
  std::vector<Configuration> ready;
  for (auto next = order.next(); next || !making.empty();) {
    if (next && compiled_.contains(*next)) {
      next = order.next();
    } else if (next && making.size() < compiles_ahead) {
      if (!meter_.know_incumbent(stop))
        return false;
      begin_to_make(*next, making);
      next = order.next();
    } else if (!take_made(making, ready, order)) {
      const auto is_made = [&] { return take_made(making, ready, order); };
      if (!(ready.empty() ? meter_.wait_for(is_made, stop) : try_ready(ready, stop)))
        return false;
    }
  }
  return true;
}

void Exploration::begin_to_make(const Configuration &configuration, std::vector<Making> &making) {
  try {
    making.push_back({configuration, variants_.prepare(configuration)});
  } catch (const Error &error) {
    trials_.failed(configuration, error.what());
    compiled_[configuration] = false;
  }
}

/// Takes what has been made, or cannot be, out of the list; whether there was any.
bool Exploration::take_made(std::vector<Making> &making, std::vector<Configuration> &ready,
                            CompileOrder &order) {
  const auto is_over = [&](Making &each) {
    try {
      if (!each.is_done())
        return false;
      compiled_[each.configuration] = true;
      ready.push_back(each.configuration);
    } catch (const Error &error) {
      trials_.failed(each.configuration, error.what());
      compiled_[each.configuration] = false;
    }
    // Whoever waited for another has not taken the time for it.
    const auto now = std::chrono::steady_clock::now();
    const auto began = std::max(each.began, last_made_);
    order.took(each.configuration, std::chrono::duration<double>(now - began).count());
    last_made_ = now;
    return true;
  };
  return std::erase_if(making, is_over) > 0;
}

/// A trial of as many as can be had at once, of which each is tried once.
bool Exploration::try_ready(std::vector<Configuration> &ready, const std::stop_token &stop) {
  if (!know_score(slices_when_ready, stop))
    return false;
  const auto count = std::min(ready.size(), meter_.most_at_once());
  const auto trials = meter_.measure(std::span(ready).first(count), slices_when_ready, stop);
  ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count));
  if (!trials)
    return false;
  for (const Trial &trial : *trials) {
    if (trial.failed)
      continue; // which is told when it is raced
    trials_.add(trial);
    seconds_ += trial.seconds;
    adopt_if_better(trial);
  }
  return true;
}

/// Holds the winner of a race against what was in force before and the generic code.
Exploration::Outcome Exploration::confirm(const Configuration &nominee, double error_probability,
                                          const std::stop_token &stop) {
  adopt(nominee); // what slices of the others are paid for against
  std::vector<Configuration> others;
  const Configuration generic;
  if (generic != nominee && generic != start_.incumbent && space_.allows(generic))
    others.push_back(generic);
  const double shortest = std::chrono::duration<double>(options_.confirm_for).count();
  Confirmation confirmation(nominee, start_.incumbent, std::move(others),
                            {.error_probability = error_probability,
                             .tolerance = options_.tolerance,
                             .fewest_seconds = shortest,
                             .most_seconds = longest_confirmation * shortest,
                             .seed = start_.seed});
  const auto runner_up = decision_.runner_up;
  if (const auto outcome = search(confirmation, true, stop); outcome != Outcome::sure)
    return outcome;
  decision_ = confirmation.best();
  if (decision_.verdict == Verdict::better && runner_up)
    decision_.runner_up = runner_up;
  variants_.log("confirm", dump({{"text", nominee.text()},
                                 {"against", start_.incumbent.text()},
                                 {"verdict", name_of(decision_.verdict)},
                                 {"gain", decision_.gain.mean},
                                 {"low", decision_.gain.low},
                                 {"high", decision_.gain.high},
                                 {"blocks", decision_.gain.windows}}));
  return Outcome::sure;
}

std::unique_ptr<Strategy> Exploration::first_strategy() const {
  if (!options_.strategy)
    return coordinate_search(space_, {options_.most_trials, start_.seed});
  auto strategy = guarded([&] { return options_.strategy(space_); });
  if (!strategy)
    throw Error({ErrorCode::bad_objective, "strategy", "made no strategy",
                 "return one from ExplorerOptions::strategy"});
  return strategy;
}

/// The incumbent comes first: of equals it wins.
std::unique_ptr<Race> Exploration::race_of(std::vector<Configuration> candidates,
                                           double error_probability) const {
  candidates.insert(candidates.begin(), start_.incumbent);
  return std::make_unique<Race>(
      std::move(candidates),
      RaceOptions{error_probability, options_.tolerance, options_.most_slices, start_.seed});
}

/// What the strategy says is best, those with the best trials, and the generic code.
std::vector<Configuration> Exploration::best_few(const Strategy &strategy) const {
  std::vector<std::pair<double, const Configuration *>> found;
  for (const auto &[configuration, scores] : scores_)
    if (scores.last)
      found.emplace_back(*scores.last, &configuration);
  std::ranges::sort(found, [](const auto &left, const auto &right) {
    return left.first != right.first ? left.first > right.first : *left.second < *right.second;
  });
  found.resize(std::min(found.size(), finalists));
  std::vector<Configuration> few;
  const auto add = [&](const Configuration &configuration) {
    if (space_.allows(configuration))
      few.push_back(configuration);
  };
  add({});
  if (told_ > 0)
    add(guarded([&] { return strategy.best(); }).configuration);
  for (const auto &[score, configuration] : found)
    add(*configuration);
  return few;
}

Exploration::Outcome Exploration::search(Strategy &strategy, bool in_blocks,
                                         const std::stop_token &stop) {
  moved_direction_ = 0;
  outside_in_a_row_ = 0;
  carried_over_.reset();
  scores_.clear();
  const auto lag = meter_.lag();
  const std::size_t slices = std::max<std::size_t>(guarded([&] { return strategy.slices(); }), 1);
  if (slices > 1 && !know_score(slices, stop))
    return Outcome::stopped;
  for (;;) {
    if (stop.stop_requested())
      return Outcome::stopped;
    const auto batch = ask(strategy, slices, in_blocks);
    if (!batch)
      return Outcome::sure;
    const auto trials = try_out(*batch, slices, in_blocks, stop);
    if (!trials)
      return Outcome::stopped;
    if (meter_.lag() != lag) {
      variants_.log("lags",
                    dump({{"seconds", std::chrono::duration<double>(meter_.lag()).count()}}));
      return Outcome::lags;
    }
    for (const Trial &trial : *trials) {
      learn(strategy, trial);
      if (slices == 1 && !trial.failed && workload_moved(trial))
        return Outcome::workload_changed;
    }
    if (is_constant(enough_to_be_constant))
      return Outcome::sure;
  }
}

/// What trials of several slices score against. False if stopped.
bool Exploration::know_score(std::size_t slices, const std::stop_token &stop) {
  const auto incumbent = meter_.measure(std::span(&incumbent_, 1), slices, stop);
  if (incumbent && !incumbent->front().failed)
    incumbent_score_ = incumbent->front().score;
  return incumbent.has_value();
}

bool Exploration::may_be_tried(const Configuration &configuration) const {
  return configuration == start_.incumbent || space_.allows(configuration);
}

/// What to measure side by side; empty if all that was asked for was refused. Nothing when the
/// strategy has come to its end, or goes on about what has been measured often enough.
std::optional<Exploration::Batch> Exploration::ask(Strategy &strategy, std::size_t slices,
                                                   bool in_blocks) {
  Batch batch;
  while (batch.size() < meter_.most_at_once()) {
    auto next = carried_over_ ? std::exchange(carried_over_, std::nullopt)
                              : guarded([&] { return strategy.ask(); });
    if (!next)
      break;
    if (!may_be_tried(*next)) {
      refuse(strategy, *next);
      if (batch.empty())
        return batch;
      break;
    }
    if (std::ranges::find(batch, *next) != batch.end()) {
      carried_over_ = std::move(next);
      break;
    }
    std::size_t &asked_for = scores_[*next].slices;
    asked_for += slices;
    if (asked_for > std::max(options_.most_slices, slices) && !in_blocks) {
      variants_.log("strategy_repeats", dump({{"text", next->text()}}));
      return std::nullopt;
    }
    batch.push_back(std::move(*next));
  }
  if (batch.empty())
    return std::nullopt;
  return batch;
}

void Exploration::refuse(Strategy &strategy, const Configuration &configuration) {
  trials_.failed(configuration, "is outside of the space that is explored");
  if (++outside_in_a_row_ >= most_outside)
    throw Error({ErrorCode::bad_strategy, configuration.text(),
                 "is outside of the space, like all that the strategy proposed lately",
                 "propose what SearchSpace::allows()"});
  guarded([&] { strategy.tell({.configuration = configuration, .failed = true}); });
}

std::optional<std::vector<Trial>> Exploration::try_out(const Batch &batch, std::size_t slices,
                                                       bool in_blocks,
                                                       const std::stop_token &stop) {
  std::vector<Trial> trials;
  while (start_.keeper && trials.size() < batch.size()) {
    auto kept = start_.keeper->recall(batch[trials.size()]);
    if (!kept)
      break;
    trials.push_back(std::move(*kept));
  }
  if (!batch.empty())
    outside_in_a_row_ = 0;
  const std::span fresh = std::span(batch).subspan(trials.size());
  Batch to_measure;
  for (const Configuration &configuration : fresh)
    if (compile(configuration, stop))
      to_measure.push_back(configuration);
    else if (stop.stop_requested())
      return std::nullopt;
  std::vector<Trial> measured;
  if (!to_measure.empty()) {
    auto done = in_blocks ? meter_.measure_blocks(to_measure, block, stop)
                          : meter_.measure(to_measure, slices, stop);
    if (!done)
      return std::nullopt;
    measured = std::move(*done);
    for (const Trial &trial : measured)
      if (trial.failed)
        trials_.failed(trial.configuration, "the objective gave no number");
      else
        trials_.add(trial);
  }
  // In the order in which they were asked for, which is that in which they are recalled.
  for (const Configuration &configuration : fresh) {
    const auto found = std::ranges::find(measured, configuration, &Trial::configuration);
    trials.push_back(found == measured.end() ? Trial{.configuration = configuration, .failed = true}
                                             : std::move(*found));
    if (start_.keeper)
      start_.keeper->keep(trials.back());
  }
  return trials;
}

/// Waits for the full variant: no stopgap is worth a trial. False if it cannot be had, or stopped.
bool Exploration::compile(const Configuration &configuration, const std::stop_token &stop) {
  return make_ready({{}, {configuration}}, stop) && compiled_.at(configuration);
}

void Exploration::learn(Strategy &strategy, const Trial &trial) {
  guarded([&] { strategy.tell(trial); });
  seconds_ += trial.seconds;
  if (trial.failed)
    return;
  scores_[trial.configuration].last = trial.score;
  if (told_++ == 0)
    first_score_ = trial.score;
  all_the_same_ = all_the_same_ && trial.score == first_score_;
  if (trial.slices > 1) {
    adopt_if_better(trial);
  } else if (const auto *race = dynamic_cast<const Race *>(&strategy);
             race && told_ % trials_per_look == 0) {
    const Configuration best = race->best().configuration;
    if (best != incumbent_ && race->is_ahead(best, incumbent_))
      adopt(best);
  }
}

void Exploration::adopt_if_better(const Trial &trial) {
  if (trial.configuration == incumbent_ || !is_surely_better(trial))
    return;
  incumbent_score_ = trial.score;
  adopt(trial.configuration);
}

/// Of the many that are tried, the luckiest is not to be taken for the best: all have their share
/// of the error.
bool Exploration::is_surely_better(const Trial &trial) const {
  const auto n = static_cast<double>(trial.slices);
  const double radius =
      always_valid_radius(trial.error * trial.error * n, n, n - 1,
                          options_.error_probability / static_cast<double>(options_.most_trials));
  return !trial.cut_short && trial.error > 0 && trial.score - radius > incumbent_score_;
}

/// What is best so far is in force between trials, and trials have to be paid for against it.
void Exploration::adopt(const Configuration &configuration) {
  incumbent_ = configuration;
  meter_.set_incumbent(incumbent_);
}

bool Exploration::is_constant(std::size_t trials) const {
  const auto of_how_many =
      std::ranges::count_if(scores_, [](const auto &each) { return each.second.last.has_value(); });
  return all_the_same_ && told_ >= trials && of_how_many > 1;
}

/// Whether slices have moved against earlier ones of the same configurations, whatever the strategy
/// tries: then old and new ones cannot be compared, and the race must start anew.
bool Exploration::workload_moved(const Trial &trial) {
  auto &earlier = scores_[trial.configuration].earlier;
  if (earlier.size() < earlier_scores) {
    earlier.push_back(trial.score);
    return false;
  }
  const double before = median(earlier);
  const double by = before > 0 ? trial.score / before - 1 : 0;
  const int direction = std::fabs(by) < moved_by ? 0 : by > 0 ? 1 : -1;
  if (direction == 0 || direction != moved_direction_)
    moved_since_ = seconds_;
  moved_direction_ = direction;
  // Slices are short, and foreign load comes in bursts of several.
  if (seconds_ - moved_since_ < moved_for_good)
    return false;
  variants_.log("change", dump({{"before", before}, {"now", trial.score}}));
  return true;
}

Decision Exploration::decide() {
  if (is_constant(fewest_to_be_constant)) {
    decision_.configuration = start_.incumbent;
    decision_.verdict = Verdict::no_gain;
    variants_.log(
        "objective_constant",
        dump({{"objective", objective_.name}, {"score", first_score_}, {"trials", told_}}));
  }
  adopt(decision_.configuration);
  // which is told if it cannot be had any more
  variants_.put_in_force(decision_.configuration);
  variants_.log("decide", dump({{"configuration", Json::parse(decision_.configuration.json())},
                                {"text", decision_.configuration.text()},
                                {"mean", decision_.estimate.mean},
                                {"low", decision_.estimate.low},
                                {"high", decision_.estimate.high},
                                {"windows", decision_.estimate.windows},
                                {"verdict", name_of(decision_.verdict)},
                                {"gain", decision_.gain.mean},
                                {"gain_low", decision_.gain.low},
                                {"gain_high", decision_.gain.high},
                                {"seconds", seconds_}}));
  return decision_;
}

} // namespace sartor
