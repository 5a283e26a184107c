// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The history of a quasi-invariant, and its deactivation without a write: to estimate its benefit,
// or to leave it alone.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/longest.h"
#include "base/probes.h"
#include "base/reports.h"
#include "runtime/assumptions/making.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/assumptions/registry.h"

namespace sartor::runtime {

namespace {

/// An invalidation is soon if it comes within so many back-offs.
constexpr int kSoon = 10;

std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

} // namespace

void QuasiInvariantState::take_number(std::uint64_t number) {
  Making::instance().number(number_, number);
  number_ = number;
}

bool QuasiInvariantState::answers() const {
  return set_aside_ || Registry::instance().valid(number_);
}

void QuasiInvariantState::note_invalidation(Clock::time_point begin, bool held) {
  const auto since = begin - held_since_;
  back_off_ = since < kSoon * back_off_ ? std::min(2 * back_off_, options_.longest_back_off)
                                        : options_.back_off;
  figures_.invalidated += held ? 1 : 0;
  SARTOR_PROBE(invalidate, name_.c_str(), nanoseconds(since));
  figures_.valid_nanoseconds += nanoseconds(since);
  ++record_.invalidated;
  record_.held_for += begin - std::max(held_since_, record_.since);
}

void QuasiInvariantState::report(const char *event) const {
  const Making::Taken taken = Making::instance().of(number_);
  base::report(event,
               {{"quasi_invariant", name_},
                {"held", std::to_string(figures_.held)},
                {"invalidated", std::to_string(figures_.invalidated)},
                {"valid_nanoseconds", std::to_string(figures_.valid_nanoseconds)},
                {"invalidation_nanoseconds", std::to_string(figures_.invalidation_nanoseconds)},
                {"made", std::to_string(taken.variants)},
                {"making_nanoseconds", std::to_string(taken.time.count())}});
}

std::uint64_t QuasiInvariantState::number() const {
  const base::MutexLock lock(mutex_);
  return number_;
}

void QuasiInvariantState::begin_record() {
  const base::MutexLock lock(mutex_);
  const Making::Taken taken = Making::instance().of(number_);
  record_ =
      QuasiInvariantRecord{.since = Clock::now(), .made = taken.variants, .making = taken.time};
}

QuasiInvariantRecord QuasiInvariantState::record() const {
  const base::MutexLock lock(mutex_);
  QuasiInvariantRecord record = record_;
  if (answers())
    record.held_for += Clock::now() - std::max(held_since_, record_.since);
  const Making::Taken taken = Making::instance().of(number_);
  record.made = taken.variants - record_.made;
  record.making = taken.time - record_.making;
  return record;
}

QuasiInvariantFigures QuasiInvariantState::figures() const {
  const base::MutexLock lock(mutex_);
  QuasiInvariantFigures figures = figures_;
  if (answers())
    figures.valid_nanoseconds += nanoseconds(Clock::now() - held_since_);
  const Making::Taken taken = Making::instance().of(number_);
  figures.held_callers = held_callers_->callers;
  figures.made = taken.variants;
  figures.making_nanoseconds = nanoseconds(taken.time);
  figures.back_off = back_off_;
  figures.watched = !parts_.empty() && std::ranges::all_of(parts_, is_watched);
  return figures;
}

bool QuasiInvariantState::set_aside() {
  Registry &registry = Registry::instance();
  const auto begin = Clock::now();
  std::uint64_t number = 0;
  {
    const base::MutexLock lock(mutex_);
    if (closed_ || !registry.valid(number_))
      return false;
    number = number_;
    disturbed_ = false;
    set_aside_ = registry.suspend(number).held;
  }
  registry.wait_until_over(number);
  const base::MutexLock lock(mutex_);
  record_.add_invalidation(Clock::now() - begin); // the time that a writer would have waited
  return true;
}

// Writers were asked all the time, so that no write went unnoticed: no thread has to settle.
bool QuasiInvariantState::bring_back() {
  std::optional<Clock::time_point> check_at;
  {
    const base::MutexLock lock(mutex_);
    if (!set_aside_ || closed_ || disturbed_ || writers_ > 0)
      return false;
    auto number = Registry::instance().resume(number_, std::exchange(anew_, false));
    if (!number) {
      base::report("quasi_invariant_unreadable",
                   {{"quasi_invariant", name_}, {"message", number.error().text()}});
      set_aside_ = false;
      set_armed(false);
      open_pages();
      return false;
    }
    take_number(*number);
    set_aside_ = false;
    changed_.notify_all();
    check_at = next_check(Clock::now());
  }
  if (check_at)
    QuasiInvariants::instance().try_later(*this, *check_at);
  return true;
}

void QuasiInvariantState::leave_alone(std::chrono::nanoseconds how_long) {
  const auto until = Clock::now() + base::at_longest(how_long);
  (void)set_aside();
  {
    const base::MutexLock lock(mutex_);
    if (closed_)
      return;
    alone_until_ = until;
    if (std::exchange(set_aside_, false)) {
      set_armed(false);
      open_pages();
    }
  }
  QuasiInvariants::instance().try_later(*this, until);
}

bool QuasiInvariantState::is_set_aside() const {
  const base::MutexLock lock(mutex_);
  return set_aside_;
}

bool QuasiInvariantState::is_closed() const {
  const base::MutexLock lock(mutex_);
  return closed_;
}

} // namespace sartor::runtime
