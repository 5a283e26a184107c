// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/economy/fact_program.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/result.h"
#include "runtime/assumptions/registry.h"

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kNap{200};

} // namespace

void FactProgram::Sums::add(const Mark &before, const Mark &after) {
  seconds += std::chrono::duration<double>(after.time - before.time).count();
  all.calls += after.calls - before.calls;
  // What it takes to make code is a cost, and nothing that such code could save.
  all.processors +=
      std::max(after.processors - before.processors - (after.making - before.making), 0.0);
  all.asked += after.asked - before.asked;
}

FactProgram::FactProgram(MeasuredProgram &windows, std::shared_ptr<runtime::Fact> fact,
                         const Runtime &runtime, std::function<double()> calls,
                         std::chrono::nanoseconds patience)
    : windows_(windows), fact_(std::move(fact)), in_force_(runtime), calls_(std::move(calls)),
      patience_(patience), start_((cpu_.find_threads(), mark())) {}

FactProgram::~FactProgram() {
  wants_fact_ = true;
  while (fact_->is_set_aside() && !try_once()) // a writer is being answered
    std::this_thread::sleep_for(kNap);
}

void FactProgram::put_in_force(const Configuration &configuration) {
  wants_fact_ = configuration == with();
  (void)try_once();
}

/// False where the program has broken the fact, or is about to.
bool FactProgram::try_once() {
  const bool is_there = wants_fact_ ? fact_->holds() : fact_->is_set_aside();
  if (is_there)
    return true;
  const bool done = wants_fact_ ? fact_->bring_back() : fact_->set_aside();
  if (done)
    runtime::Registry::instance().look_again(); // not in a moment: now
  return done;
}

/// False if stopped.
bool FactProgram::establish(const std::stop_token &stop) {
  while (!try_once() || in_force_.is_renewing() ||
         (wants_fact_ && !in_force_.anything_leans_on(fact_->number()))) {
    if (stop.stop_requested())
      return false;
    if (fact_->is_closed())
      throw Error({ErrorCode::bad_invariant, fact_->name(), "was destroyed while it was weighed",
                   "let it live until weigh() has returned"});
    if (Clock::now() - last_good_ > patience_)
      throw Restless(what_is_wrong());
    std::this_thread::sleep_for(kNap);
  }
  return true;
}

const char *FactProgram::what_is_wrong() const {
  if (fact_->record().broken != start_.broken)
    return "it breaks too often for a window";
  return fact_->holds() ? "no code in force leans on it" : "it does not come to hold";
}

bool FactProgram::is_as_wanted(std::uint64_t broken_before) const {
  return fact_->record().broken == broken_before &&
         (wants_fact_ ? fact_->holds() : fact_->is_set_aside());
}

FactProgram::Mark FactProgram::mark() {
  const runtime::FactRecord record = fact_->record();
  return {Clock::now(),
          calls_ ? calls_() : 0,
          cpu_.seconds(),
          static_cast<double>(stores_.so_far()),
          std::chrono::duration<double>(record.making).count(),
          record.broken};
}

std::optional<Reading> FactProgram::read_slice(std::chrono::nanoseconds at_least,
                                               double hopeless_below, const std::stop_token &stop) {
  while (establish(stop)) {
    const Mark before = mark();
    auto reading = windows_.read_slice(at_least, hopeless_below, stop);
    if (!reading)
      return std::nullopt;
    const Mark after = mark();
    if (!is_as_wanted(before.broken))
      continue;
    last_good_ = after.time;
    (wants_fact_ ? with_ : without_).add(before, after);
    return reading;
  }
  return std::nullopt;
}

std::optional<Reading> FactProgram::rest(std::chrono::nanoseconds long_enough,
                                         const std::stop_token &stop) {
  (void)try_once();
  return windows_.rest(long_enough, stop);
}

FactProgram::Doing FactProgram::doing(Kind kind) {
  Sums sums = kind == Kind::with ? with_ : without_;
  if (!(sums.seconds > 0))
    sums.add(start_, mark());
  return {sums.all.calls / sums.seconds, sums.all.processors / sums.seconds,
          sums.all.asked / sums.seconds};
}

} // namespace sartor
