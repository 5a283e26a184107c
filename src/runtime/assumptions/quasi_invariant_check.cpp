// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check for writes to a quasi-invariant's memory that passed no guard while it was valid.
#include <string>

#include "base/reports.h"
#include "runtime/assumptions/hex.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/registry.h"

namespace sartor::runtime {

std::optional<QuasiInvariantState::Clock::time_point>
QuasiInvariantState::next_check(Clock::time_point now) const {
  return options_.check_every > options_.check_every.zero()
             ? std::optional(now + options_.check_every)
             : std::nullopt;
}

std::optional<QuasiInvariantState::Clock::time_point> QuasiInvariantState::check() {
  return options_.check_every > options_.check_every.zero() ? compare(Clock::now()) : std::nullopt;
}

std::optional<QuasiInvariantState::Clock::time_point>
QuasiInvariantState::compare(Clock::time_point now) {
  Registry &registry = Registry::instance();
  std::optional<core::Extent> changed;
  {
    const base::MutexLock lock(mutex_);
    if (closed_ || !registry.valid(number_))
      return std::nullopt;
    // Unreadable memory is reported by finish_trying().
    if (auto found = registry.changed_part(number_))
      changed = *found;
    if (!changed) // compared under the lock, which writers that ask take first
      // The comparison may take longer than the interval between two checks.
      return next_check(Clock::now());
    ++figures_.unseen;
  }
  base::report("quasi_invariant_changed_unseen",
               {{"quasi_invariant", name_},
                {"address", as_hex(changed->address)},
                {"bytes", std::to_string(changed->end - changed->address)},
                {"message", "has been written to while it held, by who passed no guard: see "
                            "`sartor guards`, and have all that writes there compiled with "
                            "guards, or pass one by hand"}});
  ++writers_;
  invalidate_now(/*at_once=*/true, now);
  end_write(Permission::given);
  return std::nullopt;
}

} // namespace sartor::runtime
