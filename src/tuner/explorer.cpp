// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/explorer.hpp>

#include <algorithm>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <cxxabi.h>

#include "base/default_floats.h"
#include "base/life.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread.h"
#include "base/value_json.h"
#include "tuner/claims.h"
#include "tuner/exploration.h"
#include "tuner/keep/journal.h"
#include "tuner/keep/memory.h"
#include "tuner/keep/winner_file.h"
#include "tuner/limits.h"
#include "tuner/measure/call_meter.h"
#include "tuner/measure/running_program.h"
#include "tuner/objective/check.h"
#include "tuner/objective/compared.h"
#include "tuner/options.h"
#include "tuner/watch/back_off.h"
#include "tuner/watch/call_costs.h"
#include "tuner/watch/request_costs.h"
#include "tuner/watch/watch.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

/// The configurations of a runtime.
class RuntimeVariants final : public Variants {
public:
  explicit RuntimeVariants(Runtime &runtime) : runtime_(runtime) {}

  std::function<bool()> prepare(const Configuration &configuration) override {
    // Functions are copied.
    auto made = runtime_.prepare(configuration).share();
    return [made = std::move(made)] {
      if (made.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return false;
      made.get();
      return true;
    };
  }
  void put_in_force(const Configuration &configuration) override {
    runtime_.specialize(configuration);
  }
  std::unique_ptr<CallRotation> rotate(const std::string &handler) override {
    return rotate_calls(runtime_, handler);
  }
  void log(std::string_view event, std::string_view fields) override {
    runtime_.log_event(event, fields);
  }

private:
  Runtime &runtime_;
};

HandlersOfPoints handlers_of_points(const Runtime &runtime) {
  HandlersOfPoints handlers;
  const Space space = runtime.space();
  for (const Point &point : space.points())
    handlers.emplace(point.label, point.handlers);
  return handlers;
}

/// False if stopped before.
bool wait(std::chrono::nanoseconds long_enough, const std::stop_token &stop) {
  for (const auto end = std::chrono::steady_clock::now() + long_enough;
       std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(limits::stop_nap))
    if (stop.stop_requested())
      return false;
  return !stop.stop_requested();
}

} // namespace

struct Explorer::Impl final : base::Resident {
  Impl(Runtime &of, Objective what, ExplorerOptions how)
      : runtime(of), objective(std::move(what)), options(std::move(how)) {
    or_throw(check(objective));
    or_throw(check(options));
    if (runtime.active())
      prepare();
    if (runtime.active() || runtime.opening())
      base::add(*this);
  }
  ~Impl() override {
    base::remove(*this);
    stop();
  }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  /// Once the runtime is active. Throws where calls cannot be measured.
  void prepare() {
    space = SearchSpace(runtime.space(), options.choices, options.unguarded);
    if (objective.kind == Objective::Kind::call)
      rotate_calls(runtime, objective.handler);
    prepared = true;
  }
  /// Waits until the runtime is active. False if stopped before.
  bool wait_for_runtime(const std::stop_token &stop) const {
    while (!runtime.active())
      if (!wait(limits::stop_nap, stop))
        return false;
    return true;
  }
  void start();
  void stop();
  /// Nothing if stopped.
  std::optional<Decision> explore(const std::stop_token &stop);
  [[nodiscard]] bool runs() const {
    const std::scoped_lock lock(mutex);
    return running;
  }

  [[nodiscard]] CallMeter::Options call_options() const {
    return {.regression_budget = options.regression_budget,
            .error_probability = options.error_probability,
            .tolerance = options.tolerance,
            .longest_slice = options.longest_slice};
  }

  /// Nothing if stopped.
  std::optional<Decision> explore_once(const std::stop_token &stop);
  /// The same, and the winner is remembered for the workload that was there.
  std::optional<Decision> explore_and_remember(const std::stop_token &stop);
  /// What earlier runs of the program have found, as far as it is of use here.
  void read_winners();
  void remember(const Signature &workload, const Configuration &winner);
  /// Null if none is wanted. Throws what Journal::open() fails with.
  [[nodiscard]] std::unique_ptr<Journal> open_journal(Journal::Run fresh) const;
  /// Puts the winner of a workload that was seen before in force, and races it against what else
  /// may be good. Nothing if the workload is new, the winner has lost, or stopped.
  std::optional<Decision> recall(const Signature &workload, const Configuration &last,
                                 const std::stop_token &stop);
  /// Returns the signature of the workload when it has changed, or nothing when stopped. If the
  /// rival was seen to do better than the winner, it is in force then.
  std::optional<Signature> watch(const Decision &found, const std::stop_token &stop);
  void run(const std::stop_token &stop);

  [[nodiscard]] std::optional<Decision> search(const ExplorerOptions &how, Exploration::Start start,
                                               const std::stop_token &stop);
  [[nodiscard]] std::unique_ptr<Costs> costs_of(const Configuration &winner,
                                                const Configuration &rival);

  Runtime &runtime;
  const Objective objective;
  const ExplorerOptions options;
  SearchSpace space;
  bool prepared = false; ///< Whether `space` is the runtime's.

  mutable base::Mutex mutex; ///< Guards the next three.
  std::optional<Decision> decision;
  std::size_t explorations = 0;
  bool running = false; ///< The thread is at work.

  // Of the thread's own.
  WinnerMemory winners{limits::most_winners};
  std::vector<Configuration> hints; ///< What was best lately, in this run or in earlier ones.
  Shape explored;                   ///< What points saw while the last decision was made.
  std::stop_source stopper{std::nostopstate};
  base::Thread thread;

private:
  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override { stopper.request_stop(); }
  bool has_ended() override { return !runs(); }
};

std::optional<Decision> Explorer::Impl::search(const ExplorerOptions &how, Exploration::Start start,
                                               const std::stop_token &stop) {
  const Objective what = compared(runtime, objective, stop);
  RunningProgram program(runtime, what, {how.slice, how.longest_slice, how.slice_events});
  std::unique_ptr<Meter> meter;
  if (objective.kind == Objective::Kind::call) {
    meter = std::make_unique<CallMeter>(rotate_calls(runtime, objective.handler), call_options());
  } else {
    start.handlers = handlers_of_points(runtime);
    meter = std::make_unique<WindowMeter>(
        program, WindowMeter::Options{how.regression_budget, how.error_probability, start.seed,
                                      how.settle, &what});
  }
  RuntimeVariants variants(runtime);
  return Exploration(variants, *meter, what, how, space, std::move(start)).run(stop);
}

std::optional<Decision> Explorer::Impl::explore_once(const std::stop_token &stop) {
  std::size_t seed;
  {
    const std::scoped_lock lock(mutex);
    seed = explorations + 1;
  }
  Exploration::Start start{.incumbent = runtime.configuration(), .seed = seed, .hints = hints};
  const auto journal = open_journal({start.seed, start.incumbent});
  if (journal) {
    start.incumbent = journal->run().incumbent;
    start.seed = journal->run().seed;
    start.keeper = journal.get();
  }
  auto found = search(options, std::move(start), stop);
  if (found) {
    if (journal)
      journal->decide(*found);
    const std::scoped_lock lock(mutex);
    decision = found;
    ++explorations;
  }
  return found;
}

std::unique_ptr<Journal> Explorer::Impl::open_journal(Journal::Run fresh) const {
  if (options.journal.empty())
    return nullptr;
  return or_throw(Journal::open(
      options.journal, {space, description_of(objective), options.strategy ? "custom" : "default"},
      std::move(fresh), [this](std::string_view event, std::string_view fields) {
        runtime.log_event(event, fields);
      }));
}

std::optional<Decision> Explorer::Impl::explore_and_remember(const std::stop_token &stop) {
  const std::string name = workload_name(options);
  const Profile before = runtime.profile();
  auto found = explore_once(stop);
  explored = Shape::between(before, runtime.profile());
  // How far sightings depend on one another is not known yet: as if nothing were.
  if (found && workload_name(options) == name)
    remember({name, Mix().independent(explored)}, found->configuration);
  return found;
}

void Explorer::Impl::read_winners() {
  if (options.winners.empty())
    return;
  auto contents = WinnerFile(options.winners, objective.name).read();
  if (!contents) {
    runtime.log_event("winners_failed", dump(to_json(contents.error())));
    return;
  }
  contents->left_out += std::erase_if(
      contents->winners, [&](const Winner &winner) { return !space.allows(winner.configuration); });
  // The latest is to be the last that is remembered.
  for (auto it = contents->winners.rbegin(); it != contents->winners.rend(); ++it)
    winners.remember(it->signature, it->configuration);
  for (const Winner &winner : contents->winners)
    if (hints.size() < limits::most_hints &&
        std::ranges::find(hints, winner.configuration) == hints.end())
      hints.push_back(winner.configuration);
  runtime.log_event("winners", dump({{"path", options.winners.string()},
                                     {"read", contents->winners.size()},
                                     {"left_out", contents->left_out}}));
}

void Explorer::Impl::remember(const Signature &workload, const Configuration &winner) {
  const auto before = winners.recall(workload);
  winners.remember(workload, winner);
  const bool is_first = hints.empty() || hints.front() != winner;
  std::erase(hints, winner);
  hints.insert(hints.begin(), winner);
  hints.resize(std::min(hints.size(), limits::most_hints));
  if (options.winners.empty() || (workload.is_known() ? before == winner : !is_first))
    return;
  if (const auto kept = WinnerFile(options.winners, objective.name).add({workload, winner}); !kept)
    runtime.log_event("winners_failed", dump(to_json(kept.error())));
}

std::optional<Decision> Explorer::Impl::recall(const Signature &workload, const Configuration &last,
                                               const std::stop_token &stop) {
  const auto winner = winners.recall(workload);
  if (!winner)
    return std::nullopt;
  try {
    runtime.specialize(*winner);
  } catch (const Error &) { // exploring meets with the same error, and tells
    return std::nullopt;
  }
  const Json fields{{"configuration", Json::parse(winner->json())}, {"text", winner->text()}};
  runtime.log_event("remembered", dump(fields));
  std::vector<Configuration> contestants{*winner};
  for (const Configuration &other : {last, Configuration()})
    if (std::ranges::find(contestants, other) == contestants.end())
      contestants.push_back(other);
  ExplorerOptions how = options;
  how.most_slices = std::min(how.most_slices, limits::most_verifying_slices);
  auto found = search(how, {.incumbent = *winner, .candidates = contestants}, stop);
  if (!found)
    return std::nullopt;
  const bool won = found->configuration == *winner;
  runtime.log_event("verified", dump({{"text", winner->text()}, {"won", won}}));
  if (!won)
    return std::nullopt;
  const std::scoped_lock lock(mutex);
  return decision = found;
}

std::unique_ptr<Costs> Explorer::Impl::costs_of(const Configuration &winner,
                                                const Configuration &rival) {
  if (objective.kind == Objective::Kind::call)
    return std::make_unique<CallCosts>(rotate_calls(runtime, objective.handler), options, rival);
  return std::make_unique<RequestCosts>(
      objective, options, winner, rival,
      [this](const Configuration &configuration) { runtime.specialize(configuration); });
}

std::optional<Signature> Explorer::Impl::watch(const Decision &found, const std::stop_token &stop) {
  const Configuration &winner = found.configuration;
  // The generic code is the rival only where the decision was not between two; and nobody, where
  // all others may break a bound.
  const Configuration rival =
      found.runner_up.value_or(objective.bounds.empty() ? Configuration() : winner);
  const auto costs = costs_of(winner, rival);
  Watch watch(runtime, objective, options, *costs, rival != winner, explored);
  if (!watch.run(stop))
    return std::nullopt;
  if (watch.rival_leads())
    runtime.specialize(rival);
  // By now it is known better what the workload looked like.
  if (const Signature before = watch.before(); !before.shape.empty())
    remember(before, winner);
  return watch.now();
}

void Explorer::Impl::run(const std::stop_token &stop) {
  const auto give_up = [&](const char *why) {
    runtime.log_event("explore_failed", dump({{"error", why}}));
  };
  try {
    if (!wait_for_runtime(stop))
      return;
    if (!prepared)
      prepare();
    BackOff back_off(options.watch_window);
    read_winners();
    auto found = recall({workload_name(options), {}}, runtime.configuration(), stop);
    if (!found)
      found = explore_and_remember(stop);
    while (found && options.watch) {
      const auto begin = std::chrono::steady_clock::now();
      const auto workload = watch(*found, stop);
      if (!workload)
        return;
      const auto watched = std::chrono::steady_clock::now() - begin;
      auto known = recall(*workload, found->configuration, stop);
      explored = workload->shape;
      if (!known) {
        if (!wait(back_off.after(watched), stop))
          return;
        known = explore_and_remember(stop);
      }
      found = std::move(known);
    }
  } catch (const std::exception &error) {
    give_up(error.what());
  } catch (const abi::__forced_unwind &) {
    give_up("the thread was ended by a function of the program's");
    throw;
  } catch (...) { // The user's functions may throw anything; the program must go on.
    give_up("an exception of unknown type");
  }
}

Explorer::Explorer(Runtime &runtime, Objective objective, ExplorerOptions options)
    : impl_([&] {
        const base::DefaultFloats floats;
        return std::make_unique<Impl>(runtime, std::move(objective), std::move(options));
      }()) {}

// At exit, it may be in a function of the program's that does not return.
Explorer::~Explorer() {
  if (impl_ && base::is_exiting() && impl_->runs())
    base::keep(std::shared_ptr<const Impl>(std::move(impl_)));
}
Explorer::Explorer(Explorer &&) noexcept = default;
Explorer &Explorer::operator=(Explorer &&) noexcept = default;

void Explorer::Impl::start() {
  if ((!runtime.active() && !runtime.opening()) || thread.is_here())
    return;
  Claims::instance().take(runtime, objective.name);
  stopper = std::stop_source();
  running = true;
  auto started = base::Thread::start("sartor-explore", [this, stop = stopper.get_token()] {
    run(stop);
    Claims::instance().give_back(runtime);
    const std::scoped_lock lock(mutex);
    running = false;
  });
  if (started) {
    thread = std::move(*started);
  } else {
    Claims::instance().give_back(runtime);
    running = false;
  }
  or_throw(std::move(started));
}

std::optional<Decision> Explorer::Impl::explore(const std::stop_token &stop) {
  const ClaimInScope claim(runtime, objective.name);
  if (hints.empty())
    read_winners();
  return explore_and_remember(stop);
}

void Explorer::Impl::stop() {
  stopper.request_stop();
  thread.join();
}

// Which of what it tried is in force stays; another process's measurements are not this one's.
void Explorer::Impl::after_fork_in_child() { Claims::instance().forget_other_threads(); }

void Explorer::Impl::resume_in_child() {
  if (!std::exchange(running, false))
    return;
  Claims::instance().give_back(runtime);
  runtime.log_event("explore_failed",
                    dump({{"error", "the process was forked: start() it anew in the child"}}));
}

void Explorer::start() { impl_->start(); }

void Explorer::stop() { impl_->stop(); }

Decision Explorer::explore() { return explore(std::stop_token()).value(); }

std::optional<Decision> Explorer::explore(const std::stop_token &stop) {
  if (!impl_->runtime.active())
    return Decision{};
  const base::DefaultFloats floats;
  if (!impl_->prepared)
    impl_->prepare();
  return impl_->explore(stop);
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
