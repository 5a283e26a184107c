// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/explorer.hpp>

#include <algorithm>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <cxxabi.h>

#include "base/default_floats.h"
#include "base/life.h"
#include "base/result.h"
#include "base/text/value_json.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "runtime/control/control.h"
#include "runtime/control/overrides.h"
#include "runtime/verify/first_comparisons.h"
#include "tuner/change_detection/back_off.h"
#include "tuner/change_detection/call_costs.h"
#include "tuner/change_detection/change_detector.h"
#include "tuner/change_detection/request_costs.h"
#include "tuner/claims.h"
#include "tuner/exploration.h"
#include "tuner/limits.h"
#include "tuner/measure/call_meter.h"
#include "tuner/measure/running_program.h"
#include "tuner/objective/check.h"
#include "tuner/objective/saturation.h"
#include "tuner/options.h"
#include "tuner/persistence/best_known_cache.h"
#include "tuner/persistence/best_known_file.h"
#include "tuner/persistence/journal.h"
#include "tuner/persistence/trial_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

/// The configurations of a runtime.
class RuntimeVariants final : public Variants {
public:
  explicit RuntimeVariants(Runtime &runtime) : runtime_(runtime) {}

  std::function<bool()> prepare(const Configuration &configuration) override {
    // std::function requires copyable state.
    auto made = runtime_.prepare(configuration).share();
    return [made = std::move(made)] {
      if (made.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return false;
      made.get();
      return true;
    };
  }
  void activate(const Configuration &configuration) override { runtime_.specialize(configuration); }
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

/// False if the evidence did not suffice, or nothing could be measured: then the workload is
/// explored again when it returns.
bool is_known_best(const Decision &decision) { return decision.verdict != Verdict::undecided; }

/// False if stopped before.
bool wait(std::chrono::nanoseconds long_enough, const std::stop_token &stop) {
  for (const auto end = std::chrono::steady_clock::now() + long_enough;
       std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(limits::stop_nap))
    if (stop.stop_requested())
      return false;
  return !stop.stop_requested();
}

} // namespace

struct Explorer::Impl final : base::Resident, ControlledExplorer {
  Impl(Runtime &of, Objective what, ExplorerOptions how)
      : runtime(of), objective(std::move(what)), options(std::move(how)) {
    or_throw(check(objective));
    or_throw(check(options));
    if (runtime.active())
      prepare();
    if (runtime.active() || runtime.opening()) {
      base::add(*this);
      Control::instance().add(*this);
    }
  }
  ~Impl() override {
    Control::instance().remove(*this);
    base::remove(*this);
    stop();
  }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  /// Requires that the runtime is active. Throws if calls cannot be measured.
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
            .longest_sample_time = options.longest_sample_time};
  }

  /// Nothing if stopped.
  std::optional<Decision> explore_once(const std::stop_token &stop);
  /// As explore_once(), and remembers the best configuration for the current workload.
  std::optional<Decision> explore_and_remember(const std::stop_token &stop);
  /// Reads best-known configurations of earlier runs of the program, as far as they are allowed
  /// here.
  void read_best_known();
  void remember(const Signature &workload, const Configuration &best);
  /// Null if no journal is wanted. `what` is the objective that is compared. Throws what
  /// Journal::open() fails with.
  [[nodiscard]] std::unique_ptr<Journal> open_journal(const Objective &what,
                                                      Journal::Run fresh) const;
  /// Activates the best-known configuration of a workload that was seen before, and races it
  /// against other candidates. Nothing if the workload is new, the configuration has lost, or
  /// stopped.
  std::optional<Decision> recall(const Signature &workload, const Configuration &last,
                                 const std::stop_token &stop);
  /// Returns the signature of the workload when it has changed, or nothing when stopped. If the
  /// rival was measured to do better than the active configuration, it is activated.
  std::optional<Signature> detect_change(const Decision &found, const std::stop_token &stop);
  /// Explores and detects changes until stopped or interrupted. Does not measure while an operator
  /// overrides what is active.
  void run(const std::stop_token &stop);
  /// The same until `stop` alone. `anew`: explores even if there is a best-known configuration.
  void run_round(bool anew, const std::stop_token &stop);
  /// Ends the thread, and its round. No std::stop_callback connects the two: in a child process,
  /// the callback would be on the stack of a thread that does not exist.
  void request_stop() {
    stopper.request_stop();
    std::stop_source here(std::nostopstate);
    {
      const std::scoped_lock lock(mutex);
      here = round;
    }
    here.request_stop();
  }
  /// Ends the round under way, and begins another. False if the explorer does not run.
  bool interrupt(bool anew);
  void set_state(const char *now) {
    const std::scoped_lock lock(mutex);
    state = now;
  }
  void set_running(bool now) {
    const std::scoped_lock lock(mutex);
    running = now;
  }
  /// Ends the explorer's thread, also one that a function of the program ends (pthread_exit()).
  class AtEnd {
  public:
    explicit AtEnd(Impl &of) : of_(of) {}
    ~AtEnd() {
      of_.set_state("stopped");
      Claims::instance().release(of_.runtime);
      of_.set_running(false);
    }
    AtEnd(const AtEnd &) = delete;
    AtEnd &operator=(const AtEnd &) = delete;

  private:
    Impl &of_;
  };

  [[nodiscard]] Json status() override;
  bool explore() override;
  void overrides_changed() override { (void)interrupt(/*anew=*/false); }

  /// `what` is the objective that is compared.
  [[nodiscard]] std::optional<Decision> search(const ExplorerOptions &how, const Objective &what,
                                               Exploration::Start start,
                                               const std::stop_token &stop);
  [[nodiscard]] std::unique_ptr<Costs> costs_of(const Configuration &best,
                                                const Configuration &rival);

  Runtime &runtime;
  const Objective objective;
  const ExplorerOptions options;
  SearchSpace space;
  bool prepared = false; ///< True if `space` is the runtime's.

  mutable base::Mutex mutex; ///< Guards the next eight.
  std::optional<Decision> decision;
  std::size_t explorations = 0;
  bool running = false;          ///< The thread is running.
  const char *state = "stopped"; ///< For operators; a literal.
  bool interrupted = false;      ///< An operator has ended the round.
  bool explores_anew = false;    ///< What the next round is to do.
  std::thread::id caller;        ///< The last thread of the program that has called explore().
  std::stop_source round{std::nostopstate};

  TrialsSoFar so_far;

  // Used by the thread only.
  BestKnownCache best_known{limits::most_best_known};
  std::vector<Configuration> hints; ///< The latest best configurations, of this run or earlier
                                    ///< ones.
  Shape explored;                   ///< Inputs of points while the last decision was made.
  std::stop_source stopper{std::nostopstate};
  base::Thread thread;

private:
  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override { request_stop(); }
  bool has_ended() override { return !runs(); }
};

std::optional<Decision> Explorer::Impl::search(const ExplorerOptions &how, const Objective &what,
                                               Exploration::Start start,
                                               const std::stop_token &stop) {
  RunningProgram program(runtime, what,
                         {how.sample_time, how.longest_sample_time, how.events_per_sample},
                         std::bind_front(&FirstComparisons::wait, FirstComparisons(runtime)));
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
    state = "exploring";
    seed = explorations + 1;
  }
  const Objective what = compared(runtime, objective, stop);
  if (stop.stop_requested()) // what is compared is not known
    return std::nullopt;
  const Configuration before = runtime.configuration();
  Exploration::Start start{.incumbent = before, .seed = seed, .so_far = &so_far, .hints = hints};
  const auto journal = open_journal(what, {start.seed, start.incumbent, what.name});
  if (journal) {
    start.incumbent = journal->run().incumbent;
    start.seed = journal->run().seed;
    start.trial_store = journal.get();
  }
  // The journal's incumbent may have been active in another process only.
  const auto restore = [&] {
    if (runtime.configuration() != before)
      runtime.specialize(before);
  };
  std::optional<Decision> found;
  try {
    found = search(options, what, std::move(start), stop);
  } catch (...) {
    restore();
    throw;
  }
  if (!found) {
    restore();
    return std::nullopt;
  }
  if (journal)
    journal->decide(*found);
  const std::scoped_lock lock(mutex);
  decision = found;
  ++explorations;
  return found;
}

std::unique_ptr<Journal> Explorer::Impl::open_journal(const Objective &what,
                                                      Journal::Run fresh) const {
  if (options.journal.empty())
    return nullptr;
  return or_throw(
      Journal::open(options.journal,
                    {space, description_of(objective), options.strategy ? "custom" : "default",
                     std::bind_front(&is_trial_of, std::cref(what))},
                    std::move(fresh), [this](std::string_view event, std::string_view fields) {
                      runtime.log_event(event, fields);
                    }));
}

std::optional<Decision> Explorer::Impl::explore_and_remember(const std::stop_token &stop) {
  const std::string name = workload_name(options);
  const Profile before = runtime.profile();
  auto found = explore_once(stop);
  explored = Shape::between(before, runtime.profile());
  // The correlation of sightings is not known yet, so they are counted as if it were unknown.
  if (found && is_known_best(*found) && workload_name(options) == name)
    remember({name, Mix().independent(explored)}, found->configuration);
  return found;
}

void Explorer::Impl::read_best_known() {
  if (options.best_known.empty())
    return;
  auto contents = BestKnownFile(options.best_known, objective.name).read();
  if (!contents) {
    runtime.log_event("best_known_failed", dump(to_json(contents.error())));
    return;
  }
  contents->left_out += std::erase_if(contents->best_known, [&](const BestKnown &best) {
    return !space.allows(best.configuration);
  });
  // The latest must be remembered last.
  for (auto it = contents->best_known.rbegin(); it != contents->best_known.rend(); ++it)
    best_known.remember(it->signature, it->configuration);
  for (const BestKnown &best : contents->best_known)
    if (hints.size() < limits::most_hints &&
        std::ranges::find(hints, best.configuration) == hints.end())
      hints.push_back(best.configuration);
  runtime.log_event("best_known", dump({{"path", options.best_known.string()},
                                        {"read", contents->best_known.size()},
                                        {"left_out", contents->left_out}}));
}

void Explorer::Impl::remember(const Signature &workload, const Configuration &best) {
  const auto before = best_known.recall(workload);
  best_known.remember(workload, best);
  const bool is_first = hints.empty() || hints.front() != best;
  std::erase(hints, best);
  hints.insert(hints.begin(), best);
  hints.resize(std::min(hints.size(), limits::most_hints));
  if (options.best_known.empty() || (workload.is_known() ? before == best : !is_first))
    return;
  if (const auto kept = BestKnownFile(options.best_known, objective.name).add({workload, best});
      !kept)
    runtime.log_event("best_known_failed", dump(to_json(kept.error())));
}

std::optional<Decision> Explorer::Impl::recall(const Signature &workload, const Configuration &last,
                                               const std::stop_token &stop) {
  const auto best = best_known.recall(workload);
  if (!best)
    return std::nullopt;
  try {
    runtime.specialize(*best);
  } catch (const Error &) { // exploring meets the same error and reports it
    return std::nullopt;
  }
  const Json fields{{"configuration", Json::parse(best->json())}, {"text", best->text()}};
  runtime.log_event("remembered", dump(fields));
  std::vector<Configuration> contestants{*best};
  for (const Configuration &other : {last, Configuration()})
    if (std::ranges::find(contestants, other) == contestants.end())
      contestants.push_back(other);
  ExplorerOptions how = options;
  how.most_samples = std::min(how.most_samples, limits::most_verifying_samples);
  auto found = search(how, compared(runtime, objective, stop),
                      {.incumbent = *best, .candidates = contestants}, stop);
  if (!found)
    return std::nullopt;
  const bool won = found->configuration == *best;
  runtime.log_event("verified", dump({{"text", best->text()}, {"won", won}}));
  if (!won)
    return std::nullopt;
  const std::scoped_lock lock(mutex);
  return decision = found;
}

std::unique_ptr<Costs> Explorer::Impl::costs_of(const Configuration &best,
                                                const Configuration &rival) {
  if (objective.kind == Objective::Kind::call)
    return std::make_unique<CallCosts>(rotate_calls(runtime, objective.handler), options, rival);
  return std::make_unique<RequestCosts>(
      objective, options, best, rival,
      [this](const Configuration &configuration) { runtime.specialize(configuration); });
}

std::optional<Signature> Explorer::Impl::detect_change(const Decision &found,
                                                       const std::stop_token &stop) {
  set_state("watching");
  const Configuration &best = found.configuration;
  // The generic code is the rival only if the decision has no runner-up. There is no rival if all
  // others may break a bound.
  const Configuration rival =
      found.runner_up.value_or(objective.bounds.empty() ? Configuration() : best);
  const auto costs = costs_of(best, rival);
  ChangeDetector detector(runtime, objective, options, *costs, rival != best, explored);
  if (!detector.run(stop))
    return std::nullopt;
  if (detector.rival_leads())
    runtime.specialize(rival);
  // Change detection has seen more of the workload, so this signature is better.
  if (const Signature before = detector.before(); !before.shape.empty() && is_known_best(found))
    remember(before, best);
  return detector.now();
}

void Explorer::Impl::run(const std::stop_token &stop) {
  const RuntimeOverrides overrides(runtime);
  bool anew = false;
  for (;;) {
    std::stop_source here;
    {
      const std::scoped_lock lock(mutex);
      round = here;
      interrupted = false;
      anew = std::exchange(explores_anew, false);
    }
    if (stop.stop_requested()) // request_stop() may not have seen this round
      break;
    if (overrides.any()) {
      set_state("overridden");
      while (overrides.any())
        if (!wait(limits::stop_nap, stop))
          break;
    } else {
      run_round(anew, here.get_token());
      const std::scoped_lock lock(mutex);
      if (!interrupted)
        break;
    }
    if (stop.stop_requested())
      break;
  }
}

bool Explorer::Impl::interrupt(bool anew) {
  std::stop_source here(std::nostopstate);
  {
    const std::scoped_lock lock(mutex);
    if (!running)
      return false;
    interrupted = true;
    explores_anew |= anew;
    here = round;
  }
  here.request_stop();
  return true;
}

bool Explorer::Impl::explore() {
  {
    const std::scoped_lock lock(mutex);
    if (std::string_view(state) != "watching")
      return false;
  }
  return interrupt(/*anew=*/true);
}

Json Explorer::Impl::status() {
  const std::scoped_lock lock(mutex);
  Json row{{"objective", objective.name},
           {"unit", objective.unit},
           {"state", state},
           {"explorations", explorations}};
  if (state == std::string_view("exploring"))
    row["exploration"] = so_far.status();
  if (decision)
    row["decision"] = decision_to_json(*decision);
  return row;
}

void Explorer::Impl::run_round(bool anew, const std::stop_token &stop) {
  const auto give_up = [&](const char *why) {
    runtime.log_event("explore_failed", dump({{"error", why}}));
  };
  try {
    if (!wait_for_runtime(stop))
      return;
    if (!prepared)
      prepare();
    BackOff back_off(options.detection_window);
    read_best_known();
    std::optional<Decision> found;
    if (!anew)
      found = recall({workload_name(options), {}}, runtime.configuration(), stop);
    if (!found)
      found = explore_and_remember(stop);
    while (found && options.detect_changes) {
      const auto begin = std::chrono::steady_clock::now();
      const auto workload = detect_change(*found, stop);
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

// At exit, the thread may be in a function of the program that does not return.
Explorer::~Explorer() {
  if (impl_ && base::is_exiting() && impl_->runs())
    base::keep(std::shared_ptr<const Impl>(std::move(impl_)));
}
Explorer::Explorer(Explorer &&) noexcept = default;
Explorer &Explorer::operator=(Explorer &&) noexcept = default;

void Explorer::Impl::start() {
  if ((!runtime.active() && !runtime.opening()) || (thread.is_here() && runs()))
    return;
  thread.join(); // it has ended, after one exploration or an error
  Claims::instance().take(runtime, objective.name);
  stopper = std::stop_source();
  set_running(true);
  auto started = base::Thread::start("sartor-explore", [this, stop = stopper.get_token()] {
    const AtEnd end(*this);
    run(stop);
  });
  if (started) {
    thread = std::move(*started);
  } else {
    Claims::instance().release(runtime);
    set_running(false);
  }
  or_throw(std::move(started));
}

std::optional<Decision> Explorer::Impl::explore(const std::stop_token &stop) {
  const ClaimInScope claim(runtime, objective.name);
  {
    const std::scoped_lock lock(mutex);
    caller = std::this_thread::get_id();
  }
  if (hints.empty())
    read_best_known();
  try {
    auto found = explore_and_remember(stop);
    set_state("stopped");
    return found;
  } catch (...) {
    set_state("stopped");
    throw;
  }
}

void Explorer::Impl::stop() {
  request_stop();
  thread.join();
}

// The active trial stays active in the child; measurements of another process are not valid here.
void Explorer::Impl::after_fork_in_child() {
  Claims::instance().forget_other_threads();
  const base::MutexLock lock(mutex);
  if (caller != std::this_thread::get_id())
    state = "stopped"; // the thread that explored does not exist here
}

void Explorer::Impl::resume_in_child() {
  if (!std::exchange(running, false))
    return;
  state = "stopped";
  Claims::instance().release(runtime);
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
