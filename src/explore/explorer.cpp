// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/explorer.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include "explore/call_meter.h"
#include "explore/change.h"
#include "explore/exploration.h"
#include "explore/running_program.h"
#include "explore/window.h"
#include "observe/result.h"
#include "point/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

Result<void> check(const Objective &objective, const ExplorerOptions &options) {
  const auto bad = [](const char *subject, const char *message, const char *remedy) {
    return std::unexpected(Failure{ErrorCode::bad_objective, subject, message, remedy});
  };
  using std::chrono::milliseconds;
  if (!objective.read && objective.kind != Objective::Kind::call)
    return bad("read", "the objective has no function to read it",
               "set it, or use Objective::rate_of() or value_of()");
  if (!objective.per && objective.kind == Objective::Kind::ratio)
    return bad("per", "the ratio has nothing to be by", "set it, or use Objective::cost_per()");
  if (options.slice <= milliseconds(0))
    return bad("slice", "is not positive", "give e.g. 2ms");
  if (options.longest_slice < options.slice)
    return bad("longest_slice", "is shorter than slice", "give e.g. 500ms");
  if (options.watch_window <= milliseconds(0))
    return bad("watch_window", "is not positive", "give e.g. 200ms");
  if (!(options.slice_events >= 0))
    return bad("slice_events", "is negative", "give e.g. 3");
  if (!(options.error_probability > 0 && options.error_probability < 1))
    return bad("error_probability", "is not between 0 and 1", "give e.g. 0.05");
  if (!(options.tolerance >= 0))
    return bad("tolerance", "is negative", "give e.g. 0.01");
  if (options.most_slices == 0)
    return bad("most_slices", "is zero", "give e.g. 2000");
  if (options.most_trials == 0)
    return bad("most_trials", "is zero", "give e.g. 100");
  if (!(options.regression_budget > 0 && options.regression_budget <= 1))
    return bad("regression_budget", "is not above 0 and at most 1", "give e.g. 0.05");
  if (!(options.change_threshold > 0))
    return bad("change_threshold", "is not positive", "give e.g. 0.25");
  if (options.change_windows == 0)
    return bad("change_windows", "is zero", "give e.g. 2");
  return {};
}

} // namespace

struct Explorer::Impl {
  Impl(Runtime &of, Objective what, ExplorerOptions how)
      : runtime(of), objective(std::move(what)), options(std::move(how)) {
    or_throw(check(objective, options));
    if (!runtime.active())
      return;
    space = SearchSpace(runtime.space(), options.choices, options.unguarded);
    if (objective.kind == Objective::Kind::call)
      watched_objective = cost_of_calls_in_force(runtime, objective, call_options());
  }

  [[nodiscard]] CallMeter::Options call_options() const {
    return {.regression_budget = options.regression_budget,
            .error_probability = options.error_probability,
            .tolerance = options.tolerance,
            .longest_slice = options.longest_slice};
  }

  /// Nothing if stopped.
  std::optional<Decision> explore_once(const std::stop_token &stop);
  /// Returns when the workload has changed, or when stopped. With an expected score, a system that
  /// falls short of it from the start counts as changed: the workload moved while the race ended.
  void watch(const std::stop_token &stop, std::optional<double> expected);
  void run(const std::stop_token &stop);

  Runtime &runtime;
  const Objective objective;
  const ExplorerOptions options;
  SearchSpace space;
  Objective watched_objective = objective; ///< As it is read while nothing is explored.

  mutable std::mutex mutex; ///< Guards the next two.
  std::optional<Decision> decision;
  std::size_t explorations = 0;

  std::jthread thread; ///< Last: it uses all of the above until it is joined.
};

std::optional<Decision> Explorer::Impl::explore_once(const std::stop_token &stop) {
  std::size_t seed;
  {
    const std::scoped_lock lock(mutex);
    seed = explorations + 1;
  }
  RunningProgram program(runtime, objective,
                         {options.slice, options.longest_slice, options.slice_events});
  std::unique_ptr<Meter> meter;
  if (objective.kind == Objective::Kind::call)
    meter = std::make_unique<CallMeter>(rotate_calls(runtime, objective.handler), call_options());
  else
    meter = std::make_unique<WindowMeter>(
        program, WindowMeter::Options{options.regression_budget, options.error_probability, seed});
  Exploration exploration(runtime, *meter, objective, options, space,
                          {.incumbent = runtime.configuration(), .seed = seed});
  auto found = exploration.run(stop);
  if (found) {
    const std::scoped_lock lock(mutex);
    decision = found;
    ++explorations;
  }
  return found;
}

void Explorer::Impl::watch(const std::stop_token &stop, std::optional<double> expected) {
  ChangeRule rule = expected
                        ? ChangeRule(options.change_threshold, options.change_windows, *expected)
                        : ChangeRule(options.change_threshold, options.change_windows);
  const WindowLength length{
      options.watch_window,
      std::max<std::chrono::nanoseconds>(options.watch_window, options.longest_slice),
      options.slice_events};
  while (const auto reading = read_window(watched_objective, length, 0, stop)) {
    if (std::isnan(reading->value))
      continue;
    const double score = score_of(watched_objective, reading->value);
    runtime.log_event("window", dump({{"score", score},
                                      {"value", reading->value},
                                      {"text", runtime.configuration().text()}}));
    if (expected && score >= *expected) { // better is no reason to doubt
      rule = ChangeRule(options.change_threshold, options.change_windows);
      expected.reset();
    }
    if (rule.moved(score)) {
      runtime.log_event("change", dump({{"before", rule.before()}, {"now", rule.now()}}));
      return;
    }
  }
}

void Explorer::Impl::run(const std::stop_token &stop) {
  const auto give_up = [&](const char *why) {
    runtime.log_event("explore_failed", dump({{"error", why}}));
  };
  try {
    // A decision is doubted once: trials may differ for good from what comes after them.
    bool doubted = false;
    while (!stop.stop_requested()) {
      const auto found = explore_once(stop);
      if (!found)
        return;
      const auto begin = std::chrono::steady_clock::now();
      watch(stop, doubted ? std::nullopt : std::optional(found->estimate.mean));
      const auto watched = std::chrono::steady_clock::now() - begin;
      doubted = !doubted && watched < (options.change_windows + 1) * options.longest_slice;
    }
  } catch (const std::exception &error) {
    give_up(error.what());
  } catch (...) { // The user's functions may throw anything; the program must go on.
    give_up("an exception of unknown type");
  }
}

Explorer::Explorer(Runtime &runtime, Objective objective, ExplorerOptions options)
    : impl_(std::make_unique<Impl>(runtime, std::move(objective), std::move(options))) {}

Explorer::~Explorer() = default;
Explorer::Explorer(Explorer &&) noexcept = default;
Explorer &Explorer::operator=(Explorer &&) noexcept = default;

void Explorer::start() {
  if (!impl_->runtime.active() || impl_->thread.joinable())
    return;
  impl_->thread =
      std::jthread([impl = impl_.get()](const std::stop_token &stop) { impl->run(stop); });
}

void Explorer::stop() {
  impl_->thread.request_stop();
  if (impl_->thread.joinable())
    impl_->thread.join();
}

Decision Explorer::explore() {
  if (!impl_->runtime.active())
    return {};
  return impl_->explore_once({}).value();
}

std::optional<Decision> Explorer::decision() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->decision;
}

std::size_t Explorer::explorations() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->explorations;
}

const SearchSpace &Explorer::space() const { return impl_->space; }

Explorer autotune(Runtime &runtime, Objective objective, ExplorerOptions options) {
  Explorer explorer(runtime, std::move(objective), std::move(options));
  explorer.start();
  return explorer;
}

} // namespace sartor
