// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/economy.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/readers.h"
#include "runtime/assumptions/extent_of.h"
#include "runtime/assumptions/stores.h"
#include "runtime/verify/first_comparisons.h"
#include "tuner/claims.h"
#include "tuner/economy/balance.h"
#include "tuner/economy/quasi_invariant_program.h"
#include "tuner/evidence/evidence.h"
#include "tuner/measure/running_program.h"
#include "tuner/objective/check.h"
#include "tuner/objective/saturation.h"
#include "tuner/options.h"

namespace sartor::runtime {

/// Gives access to the state behind the public class, which names it as a friend.
struct QuasiInvariantStateOf {
  static std::shared_ptr<QuasiInvariantState> get(const QuasiInvariant &face) {
    return face.quasi_invariant_;
  }
};

} // namespace sartor::runtime

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;

/// Looks at the evidence take place at this number of rounds and whenever it has doubled. There are
/// few looks, because the bound on the times between invalidations does not hold at all times, so
/// the looks share its error.
constexpr std::size_t kFirstLook = 8;
constexpr double kMostLooks = 12;
/// Longest EconomyOptions::leave_alone_for: the clock can represent its end.
constexpr std::chrono::nanoseconds kLongestAlone = std::chrono::years(1);

/// The counting function of the objective, or of its first quantity; empty if it counts nothing.
std::function<double()> calls_of(const Objective &objective) {
  switch (objective.kind) {
  case Objective::Kind::counter:
  case Objective::Kind::percentile:
    return objective.read;
  case Objective::Kind::ratio:
    return objective.per;
  default:
    return {};
  }
}

/// Seconds of a store that asks a write guard about memory without a quasi-invariant.
double time_of_asking() {
  constexpr int times = 256;
  int somewhere = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i)
    if (runtime::begin_store(runtime::extent_of(&somewhere, sizeof somewhere),
                             /*inside=*/false))
      runtime::end_store();
  return std::chrono::duration<double>(Clock::now() - begin).count() / times;
}

void check_can_be_weighed(const Objective &objective, const EconomyOptions &options) {
  or_throw(check(objective));
  or_throw(check(options.windows));
  if (options.leave_alone_for > kLongestAlone || options.leave_alone_for.count() < 0)
    throw Error({ErrorCode::bad_objective, "leave_alone_for", "is negative or more than a year",
                 "give a year at most, or zero to leave nothing alone"});
  if (objective.kind == Objective::Kind::call)
    throw Error({ErrorCode::bad_objective, objective.name,
                 "is measured by call, but a quasi-invariant is valid for all calls or for none",
                 "use an objective that is read over time, such as a rate"});
}

/// Measures pairs of blocks, with the quasi-invariant and without it.
class Weighing {
public:
  Weighing(Runtime &runtime, std::shared_ptr<runtime::QuasiInvariantState> quasi_invariant,
           const Objective &what, const ExplorerOptions &options)
      : quasi_invariant_(quasi_invariant), options_(options), evidence_(what),
        running_(runtime, what,
                 {options.sample_time, options.longest_sample_time, options.events_per_sample},
                 std::bind_front(&FirstComparisons::wait, FirstComparisons(runtime))),
        program_(running_, std::move(quasi_invariant), runtime, calls_of(what),
                 std::max<std::chrono::nanoseconds>(options.confirm_for, kPatience)),
        meter_(program_, {.regression_budget = options.regression_budget,
                          .error_probability = options.error_probability,
                          .settle = options.settle,
                          .objective = &what}) {
    meter_.regard_bounds(false);
  }

  /// Measures until the verdict is sure or the time is up. Fills in all fields but the names.
  void run(Economy &economy, const std::stop_token &stop) {
    std::string why_ended = "it was stopped";
    try {
      meter_.set_incumbent(QuasiInvariantProgram::with());
      while (measure_round(stop)) {
        const std::size_t rounds = with_.size();
        const bool is_over = seconds_ >= times_as_long * wanted_seconds();
        if (!is_over && (rounds < kFirstLook || !std::has_single_bit(rounds)))
          continue;
        look(economy);
        if (is_over || (economy.worth != Worth::not_sure && seconds_ >= wanted_seconds()))
          return;
      }
    } catch (const QuasiInvariantProgram::Restless &restless) {
      why_ended = restless.what();
    }
    look(economy);
    economy.missing = std::move(why_ended);
  }

private:
  static constexpr std::chrono::seconds kPatience{2};
  static constexpr double times_as_long = limits::times_as_long;

  [[nodiscard]] double wanted_seconds() const {
    return std::chrono::duration<double>(options_.confirm_for).count();
  }

  /// False if stopped.
  bool measure_round(const std::stop_token &stop) {
    std::array both{QuasiInvariantProgram::with(), QuasiInvariantProgram::without()};
    if ((random_() & 1) != 0)
      std::swap(both[0], both[1]);
    const auto lag = meter_.lag();
    const auto trials = meter_.measure_blocks(both, limits::confirmed_block, stop);
    if (!trials)
      return false;
    for (const Trial &trial : *trials)
      seconds_ += trial.seconds;
    if (meter_.lag() > lag) {
      with_.clear();
      without_.clear();
    } else if (std::ranges::none_of(*trials, &Trial::failed)) {
      for (const Trial &trial : *trials)
        (trial.configuration == QuasiInvariantProgram::with() ? with_ : without_)
            .push_back(evidence_.sample_of(trial));
    }
    return true;
  }

  void look(Economy &economy) {
    const auto with = program_.doing(QuasiInvariantProgram::with()),
               without = program_.doing(QuasiInvariantProgram::without());
    QuasiInvariantEvidence seen{.record = quasi_invariant_->record(), .gain = {}};
    if (with_.size() > 1)
      seen.gain = evidence_.gain(with_, without_, options_.error_probability / kTerms);
    seen.calls_with = with.calls;
    seen.calls_without = without.calls;
    seen.processors = without.processors;
    seen.asked = with.asked;
    seen.asking = seen.asked > 0 ? time_of_asking() : 0;
    balance(economy, seen, {options_.error_probability, kMostLooks});
  }

  const std::shared_ptr<runtime::QuasiInvariantState> quasi_invariant_;
  const ExplorerOptions &options_;
  const Evidence evidence_;
  RunningProgram running_;
  QuasiInvariantProgram program_;
  WindowMeter meter_;
  std::mt19937_64 random_{1};
  std::vector<Sample> with_, without_; ///< Samples of the same rounds.
  double seconds_ = 0;                 ///< Seconds of measuring.
};

} // namespace

Economy weigh(Runtime &runtime, const QuasiInvariant &face, const Objective &objective,
              const EconomyOptions &options, const std::stop_token &stop) {
  check_can_be_weighed(objective, options);
  const std::shared_ptr<runtime::QuasiInvariantState> quasi_invariant =
      runtime::QuasiInvariantStateOf::get(face);
  if (base::inside_handler(base::frame_of_caller()))
    throw Error({ErrorCode::called_from_handler, quasi_invariant->name(),
                 "is weighed from within a handler, for the end of which this waits",
                 "weigh it on another thread"});
  Economy economy;
  economy.quasi_invariant = quasi_invariant->name();
  economy.objective = objective.name;
  if (!runtime.active()) {
    economy.missing = "the runtime is not active: nothing is specialized";
    return economy;
  }
  const ClaimInScope claim(runtime, objective.name);
  {
    const Objective what = compared(runtime, objective, stop);
    economy.objective = what.name;
    Weighing(runtime, quasi_invariant, what, options.windows).run(economy, stop);
  }
  quasi_invariant->begin_record();
  if (economy.worth == Worth::not_worth_it && options.leave_alone_for.count() > 0) {
    quasi_invariant->leave_alone(options.leave_alone_for);
    economy.seconds_left_alone = std::chrono::duration<double>(options.leave_alone_for).count();
  }
  runtime.log_event("economy", economy.json());
  return economy;
}

} // namespace sartor
