// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/economy/quasi_invariant_program.h"

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

void QuasiInvariantProgram::Sums::add(const Mark &before, const Mark &after) {
  seconds += std::chrono::duration<double>(after.time - before.time).count();
  all.calls += after.calls - before.calls;
  // Compilation time is a cost; specialized code cannot save it.
  all.processors +=
      std::max(after.processors - before.processors - (after.making - before.making), 0.0);
  all.asked += after.asked - before.asked;
}

QuasiInvariantProgram::QuasiInvariantProgram(
    MeasuredProgram &windows, std::shared_ptr<runtime::QuasiInvariantState> quasi_invariant,
    const Runtime &runtime, std::function<double()> calls, std::chrono::nanoseconds patience)
    : windows_(windows), quasi_invariant_(std::move(quasi_invariant)), active_(runtime),
      calls_(std::move(calls)), patience_(patience), start_((cpu_.find_threads(), mark())) {}

QuasiInvariantProgram::~QuasiInvariantProgram() {
  wants_quasi_invariant_ = true;
  while (quasi_invariant_->is_set_aside() && !try_once()) // a writer is being served
    std::this_thread::sleep_for(kNap);
}

void QuasiInvariantProgram::activate(const Configuration &configuration) {
  wants_quasi_invariant_ = configuration == with();
  (void)try_once();
}

/// False if the program has violated the quasi-invariant, or is about to.
bool QuasiInvariantProgram::try_once() {
  const bool is_there =
      wants_quasi_invariant_ ? quasi_invariant_->valid() : quasi_invariant_->is_set_aside();
  if (is_there)
    return true;
  const bool done =
      wants_quasi_invariant_ ? quasi_invariant_->bring_back() : quasi_invariant_->set_aside();
  if (done)
    runtime::Registry::instance().look_again(); // immediately, not after a delay
  return done;
}

/// Brings the quasi-invariant into the wanted state. False if stopped.
bool QuasiInvariantProgram::establish(const std::stop_token &stop) {
  while (!try_once() || active_.is_renewing() ||
         (wants_quasi_invariant_ && !active_.has_dependents(quasi_invariant_->number()))) {
    if (stop.stop_requested())
      return false;
    if (quasi_invariant_->is_closed())
      throw Error({ErrorCode::bad_invariant, quasi_invariant_->name(),
                   "was destroyed while it was weighed", "let it live until weigh() has returned"});
    if (Clock::now() - last_good_ > patience_)
      throw Restless(what_is_wrong());
    std::this_thread::sleep_for(kNap);
  }
  return true;
}

const char *QuasiInvariantProgram::what_is_wrong() const {
  if (quasi_invariant_->record().invalidated != start_.invalidated)
    return "it is invalidated too often for a sample";
  return quasi_invariant_->valid() ? "no active code depends on it" : "it does not become valid";
}

bool QuasiInvariantProgram::is_as_wanted(std::uint64_t invalidated_before) const {
  return quasi_invariant_->record().invalidated == invalidated_before &&
         (wants_quasi_invariant_ ? quasi_invariant_->valid() : quasi_invariant_->is_set_aside());
}

QuasiInvariantProgram::Mark QuasiInvariantProgram::mark() {
  const runtime::QuasiInvariantRecord record = quasi_invariant_->record();
  return {Clock::now(),
          calls_ ? calls_() : 0,
          cpu_.seconds(),
          static_cast<double>(stores_.so_far()),
          std::chrono::duration<double>(record.making).count(),
          record.invalidated};
}

std::optional<ObjectiveSample> QuasiInvariantProgram::read_sample(std::chrono::nanoseconds at_least,
                                                                  double hopeless_below,
                                                                  const std::stop_token &stop) {
  while (establish(stop)) {
    const Mark before = mark();
    auto measured = windows_.read_sample(at_least, hopeless_below, stop);
    if (!measured)
      return std::nullopt;
    const Mark after = mark();
    if (!is_as_wanted(before.invalidated))
      continue;
    last_good_ = after.time;
    (wants_quasi_invariant_ ? with_ : without_).add(before, after);
    return measured;
  }
  return std::nullopt;
}

std::optional<ObjectiveSample> QuasiInvariantProgram::rest(std::chrono::nanoseconds long_enough,
                                                           const std::stop_token &stop) {
  (void)try_once();
  return windows_.rest(long_enough, stop);
}

QuasiInvariantProgram::Doing QuasiInvariantProgram::doing(const Configuration &configuration) {
  Sums sums = configuration == with() ? with_ : without_;
  if (!(sums.seconds > 0))
    sums.add(start_, mark());
  return {sums.all.calls / sums.seconds, sums.all.processors / sums.seconds,
          sums.all.asked / sums.seconds};
}

} // namespace sartor
