// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deactivation of code that depends on a quasi-invariant without a write: to estimate its benefit,
// or to leave it alone.
#include <optional>
#include <utility>

#include "base/longest.h"
#include "base/reports.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/assumptions/registry.h"

namespace sartor::runtime {

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
