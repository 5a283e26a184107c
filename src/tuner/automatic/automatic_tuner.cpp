// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/automatic/automatic_tuner.h"

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <utility>

#include <sartor/automatic.h>
#include <sartor/objective.hpp>
#include <sartor/race.hpp>

#include "base/event_log.h"
#include "base/never_destroyed.h"
#include "base/pin.h"
#include "base/reports.h"
#include "base/text/value_json.h"
#include "base/thread/mutex.h"
#include "runtime/control/overrides.h"
#include "runtime/runtime_options.h"
#include "tuner/automatic/automatic_limits.h"
#include "tuner/objective/cpu_time.h"
#include "tuner/parts/components.h"
#include "tuner/persistence/trial_json.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Sleeps. False if stopped before or meanwhile: the end of the process must not wait.
bool sleep_for(std::chrono::nanoseconds time, const std::stop_token &stop) {
  std::mutex mine; // no other thread takes it
  std::condition_variable_any wake;
  std::unique_lock lock(mine);
  wake.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

/// Waits until the process has used so much more processor time. An idle process is woken rarely.
/// False if stopped before.
bool wait_for_work(double seconds, const std::stop_token &stop) {
  double used = process_seconds();
  const double end = used + seconds;
  for (auto nap = automatic_limits::shortest_nap; used < end;) {
    if (!sleep_for(nap, stop))
      return false;
    const double now = process_seconds();
    const bool is_idle =
        now - used < automatic_limits::idle_share * std::chrono::duration<double>(nap).count();
    nap =
        is_idle ? std::min(2 * nap, automatic_limits::longest_nap) : automatic_limits::shortest_nap;
    used = now;
  }
  return !stop.stop_requested();
}

/// Reports why nothing is tuned. There may be no runtime, which would have opened the event log.
void log_failure(const Failure &failure) {
  const auto log = open_event_log({});
  if (log && *log)
    (*log)->failure("automatic_failed", failure);
  else
    base::report("automatic_failed", failure);
}

/// Says that the thread has ended, also if a function of the program ends it (pthread_exit()).
class AtEnd {
public:
  explicit AtEnd(std::atomic<bool> &running) : running_(running) {}
  ~AtEnd() { running_ = false; }
  AtEnd(const AtEnd &) = delete;
  AtEnd &operator=(const AtEnd &) = delete;

private:
  std::atomic<bool> &running_;
};

} // namespace

AutomaticTuner::AutomaticTuner(std::span<const sartor_module> modules) : modules_(modules) {
  base::add(*this);
  start();
}

void AutomaticTuner::start() {
  stopper_ = std::stop_source();
  running_ = true;
  auto started = base::Thread::start("sartor-auto", [this, stop = stopper_.get_token()] {
    const AtEnd end(running_);
    try {
      run(stop);
    } catch (const Error &error) {
      if (!stop.stop_requested()) // nothing compiles at exit
        log_failure(error.failure());
    }
  });
  if (started) {
    thread_ = std::move(*started);
    return;
  }
  running_ = false;
  log_failure(started.error());
}

void AutomaticTuner::run(const std::stop_token &stop) {
  if (!wait_for_work(automatic_limits::begin_after, stop))
    return;
  if (!runtime_)
    runtime_ = std::make_unique<Runtime>(modules_, Options());
  while (!runtime_->active()) // a compile server may be away
    if (!runtime_->opening() || !wait_for_work(automatic_limits::begin_after, stop))
      return;
  std::set<std::string> handlers;
  for (SampledHandler &each : sampled_handlers(runtime_->space()))
    handlers.insert(std::move(each.handler));
  RuntimeOverrides(*runtime_).route_only(std::move(handlers));
  double rest = automatic_limits::first_rest;
  do {
    tune(stop);
    rest = std::min(2 * rest, automatic_limits::longest_rest);
  } while (wait_for_work(rest / 2, stop));
}

void AutomaticTuner::tune(const std::stop_token &stop) {
  const RuntimeOverrides overrides(*runtime_);
  if (overrides.any())
    return;
  if (!has_recalled_)
    recall(stop);
  std::vector<SampledHandler> handlers;
  const auto begin = [&] {
    adopt(active_); // in a child process, a trial of the parent may be active
    handlers = sample(stop);
  };
  if (!try_to(begin, stop))
    return;
  for (const SampledHandler &sampled : handlers) {
    if (stop.stop_requested() || overrides.any())
      return;
    if (!try_to([&] { explore(sampled, stop); }, stop) && !try_to([&] { adopt(active_); }, stop))
      return;
  }
}

void AutomaticTuner::recall(const std::stop_token &stop) {
  for (const SampledHandler &each : sampled_handlers(runtime_->space()))
    if (stop.stop_requested() ||
        (!try_to([&] { recall(each.handler); }, stop) && !try_to([&] { adopt(active_); }, stop)))
      return;
  has_recalled_ = true;
}

void AutomaticTuner::recall(const std::string &handler) {
  const auto found = kept().find(handler, runtime_->space());
  if (!found) {
    kept().drop(handler);
    return log(found.error());
  }
  if (!*found)
    return;
  const KeptDecision &decision = **found;
  const std::int64_t now = std::time(nullptr);
  adopt(merged(active_, decision.best));
  if (decision.is_fresh(now)) {
    const base::MutexLock lock(mutex_);
    tried_[handler] = decision.tried; // is not explored while these are the frequent values
  }
  runtime_->log_event("automatic_recalled",
                      dump({{"handler", handler},
                            {"configuration", Json::parse(decision.best.json())},
                            {"text", decision.best.text()},
                            {"age", now - decision.made},
                            {"explored_again", !decision.is_fresh(now)}}));
}

KeptDecisions AutomaticTuner::kept() const {
  return {RuntimeOverrides(*runtime_).disk_cache(), runtime_->content()};
}

bool AutomaticTuner::try_to(const std::function<void()> &work, const std::stop_token &stop) {
  try {
    work();
    return true;
  } catch (const Error &error) {
    if (!stop.stop_requested()) // nothing compiles at exit
      log(error.failure());
    return false;
  }
}

bool AutomaticTuner::count_values(std::vector<std::string> labels, const std::stop_token &stop) {
  std::erase_if(labels, [&](const std::string &label) { return uncounted_.contains(label); });
  const auto count = [&] {
    std::map<std::string, unsigned> every;
    for (const std::string &label : labels)
      every.emplace(label, 1);
    runtime_->instrument(every);
    return !every.empty();
  };
  try {
    return count();
  } catch (const Error &) { // of one of them
    if (stop.stop_requested())
      throw;
  }
  // A handler that cannot be compiled must not keep the others from being tuned.
  std::map<std::string, Error> errors;
  for (const std::string &label : labels)
    try {
      runtime_->instrument({{label, 1}});
    } catch (const Error &error) {
      errors.emplace(label, error);
    }
  if (errors.size() == labels.size()) // not because of one of them: the compiler may be away
    throw Error(errors.begin()->second);
  for (const auto &[label, error] : errors) {
    log(error.failure());
    std::erase(labels, label);
    const base::MutexLock lock(mutex_);
    uncounted_.insert(label);
  }
  return count();
}

std::vector<SampledHandler> AutomaticTuner::sample(const std::stop_token &stop) {
  runtime_->clear_profile();
  for (const auto &labels :
       automatic_labels(runtime_->space(), automatic_limits::counted_at_once)) {
    if (!count_values(labels, stop))
      continue;
    const auto begin = Clock::now();
    const auto is_enough = [&] {
      const bool is_late = Clock::now() - begin >= automatic_limits::silent_after;
      const Space space = runtime_->space();
      return std::ranges::all_of(labels, [&](const std::string &label) {
        const Point *point = space.find(label);
        const std::uint64_t calls = point->seen ? point->seen->count : 0;
        return uncounted_.contains(label) || calls >= automatic_limits::enough_calls ||
               (is_late && calls == 0);
      });
    };
    const auto end = begin + automatic_limits::longest_sampling;
    do
      if (!sleep_for(automatic_limits::sampling_nap, stop))
        return {};
    while (Clock::now() < end && !is_enough());
  }
  runtime_->instrument({});
  return sampled_handlers(runtime_->space());
}

void AutomaticTuner::explore(const SampledHandler &sampled, const std::stop_token &stop) {
  const std::string &handler = sampled.handler;
  const auto tell = [&](const char *outcome) {
    {
      const base::MutexLock lock(mutex_);
      if (std::exchange(logged_[handler], outcome) == outcome)
        return;
    }
    log(sampled, outcome);
  };
  if (sampled.calls < automatic_limits::fewest_calls)
    return tell("seldom_called"); // what is active does not matter
  const Configuration own = runtime_->space().restrict(active_, handler);
  Configuration others = active_;
  for (const auto &[label, setting] : own)
    others.unset(label);
  const auto wanted = candidates(sampled, others);
  if (wanted.empty()) {
    adopt(others);
    {
      const base::MutexLock lock(mutex_);
      tried_.erase(handler);
    }
    kept().drop(handler);
    return tell("values_vary");
  }
  Configuration all = runtime_->space().restrict(wanted.front(), handler);
  if (const auto last = tried_.find(handler); last != tried_.end() && last->second == all)
    return;
  const auto decision = decide(handler, wanted, stop);
  if (!decision)
    return;
  if (RuntimeOverrides(*runtime_).any()) // calls have not reached what was tried
    return adopt(active_);
  // A choice without any settings is the generic code of all handlers.
  adopt(decision->configuration.empty() ? others : decision->configuration);
  // An undecided handler is explored again in the next round.
  if (decision->verdict != Verdict::undecided)
    keep({std::move(all), runtime_->space().restrict(decision->configuration, handler)}, handler,
         wanted);
  {
    const base::MutexLock lock(mutex_);
    logged_.erase(handler);
  }
  log(sampled, name_of(decision->verdict), decision);
}

void AutomaticTuner::keep(KeptDecision decision, const std::string &handler,
                          const std::vector<Configuration> &candidates) {
  // The active settings of earlier values stay if none is better, but were not measured to be
  // better with those of now.
  const bool is_measured =
      decision.best.empty() || std::ranges::any_of(candidates, [&](const Configuration &each) {
        return runtime_->space().restrict(each, handler) == decision.best;
      });
  decision.made = std::time(nullptr);
  if (is_measured)
    kept().keep(handler, decision);
  else
    kept().drop(handler);
  const base::MutexLock lock(mutex_);
  tried_[handler] = std::move(decision.tried);
}

std::optional<Decision> AutomaticTuner::decide(const std::string &handler,
                                               const std::vector<Configuration> &candidates,
                                               const std::stop_token &stop) {
  ExplorerOptions options;
  options.longest_sample_time = automatic_limits::longest_sample_time;
  options.confirm_for = automatic_limits::confirm_for;
  options.detect_changes = false;
  for (const Configuration &candidate : candidates)
    for (const auto &[label, setting] : candidate)
      for (const Value &value : setting.values) {
        auto &values = options.choices[label];
        if (std::ranges::find(values, value) == values.end())
          values.push_back(value);
      }
  options.strategy = [&candidates, &options](const SearchSpace &) {
    return race(candidates, {.error_probability = options.error_probability,
                             .tolerance = options.tolerance,
                             .most_samples = options.most_samples});
  };
  explorer_ = std::make_unique<Explorer>(*runtime_, Objective::cost_of_call(handler), options);
  auto decision = explorer_->explore(stop);
  explorer_.reset();
  return decision;
}

void AutomaticTuner::adopt(const Configuration &configuration) {
  if (runtime_->configuration() != configuration)
    runtime_->specialize(configuration);
  const base::MutexLock lock(mutex_);
  active_ = configuration;
}

void AutomaticTuner::log(const Failure &failure) const {
  runtime_->log_event("automatic_failed", dump(to_json(failure)));
}

void AutomaticTuner::log(const SampledHandler &sampled, std::string_view outcome,
                         const std::optional<Decision> &decision) const {
  Json fields{{"handler", sampled.handler}, {"calls", sampled.calls}, {"outcome", outcome}};
  if (decision) {
    const Configuration own = runtime_->space().restrict(decision->configuration, sampled.handler);
    fields["configuration"] = Json::parse(own.json());
    fields["text"] = own.text();
    fields["gain"] = decision->gain.mean;
    fields["gain_low"] = decision->gain.low;
    fields["gain_high"] = decision->gain.high;
  }
  runtime_->log_event("automatic", dump(fields));
}

// The explorer stays: its thread does not exist here, and none may be removed now.
void AutomaticTuner::after_fork_in_child() { (void)explorer_.release(); }

void AutomaticTuner::resume_in_child() {
  if (running_.exchange(false))
    start();
}

namespace {

class AutomaticTuners {
public:
  void add(std::span<const sartor_module> modules) {
    {
      const base::MutexLock lock(mutex_);
      if (std::ranges::find(known_, modules.data()) != known_.end())
        return; // started by the constructor of another file
      known_.push_back(modules.data());
    }
    base::pin_library_of(modules.data());
    (void)new AutomaticTuner(modules); // never destroyed
  }

private:
  base::Mutex mutex_;
  std::vector<const sartor_module *> known_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace

} // namespace sartor

extern "C" void sartor_auto_start(const sartor_module *begin, const sartor_module *end) {
  static sartor::base::NeverDestroyed<sartor::AutomaticTuners> tuners;
  if (begin != end && !sartor::switched_off())
    tuners.value.add({begin, end});
}
