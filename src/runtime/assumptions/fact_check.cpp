// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether somebody has written to a fact's memory while it held, and has passed no guard.
#include <string>

#include "base/reports.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/hex.h"
#include "runtime/assumptions/registry.h"

namespace sartor::runtime {

std::optional<Fact::Clock::time_point> Fact::next_check(Clock::time_point now) const {
  return options_.check_every > options_.check_every.zero()
             ? std::optional(now + options_.check_every)
             : std::nullopt;
}

std::optional<Fact::Clock::time_point> Fact::check() {
  return options_.check_every > options_.check_every.zero() ? compare(Clock::now()) : std::nullopt;
}

std::optional<Fact::Clock::time_point> Fact::compare(Clock::time_point now) {
  Registry &registry = Registry::instance();
  std::optional<core::Extent> changed;
  {
    const base::MutexLock lock(mutex_);
    if (closed_ || !registry.holds(number_))
      return std::nullopt;
    if (auto found = registry.changed_part(number_)) // what is unreadable, finish_trying() tells of
      changed = *found;
    if (!changed)                      // compared under the lock, as writers that ask take it first
      return next_check(Clock::now()); // to compare may take longer than the time between two
    ++figures_.unseen;
  }
  base::report("fact_changed_unseen",
               {{"fact", name_},
                {"address", as_hex(changed->address)},
                {"bytes", std::to_string(changed->end - changed->address)},
                {"message", "has been written to while it held, by who passed no guard: see "
                            "`sartor guards`, and have all that writes there compiled with "
                            "guards, or pass one by hand"}});
  ++writers_;
  break_now(/*at_once=*/true, now);
  end_write(Permission::given);
  return std::nullopt;
}

} // namespace sartor::runtime
