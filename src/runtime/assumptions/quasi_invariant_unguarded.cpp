// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes to a quasi-invariant's memory that pass no guard: protected pages stop them, and checks
// find them afterwards.
#include <algorithm>
#include <string>
#include <utility>

#include "base/reports.h"
#include "runtime/assumptions/hex.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/registry.h"
#include "runtime/dispatch/dependency.h"

namespace sartor::runtime {

Result<void> QuasiInvariantState::claim_pages(const WatchedPart &part) {
  if (!options_.protect_pages || part.part.end <= part.part.address)
    return {};
  auto claimed = Pages::instance().claim(part.part);
  if (!claimed) {
    Failure failure = std::move(claimed.error());
    failure.message = "quasi-invariant \"" + name_ + "\": " + failure.message;
    return std::unexpected(std::move(failure));
  }
  const base::MutexLock lock(mutex_);
  const auto page_of = [](const PageEntry *entry) { return entry->page.load(); };
  PageEntries fresh;
  PageEntries known_already;
  for (PageEntry *entry : *claimed)
    (std::ranges::binary_search(pages_, page_of(entry), {}, page_of) ? known_already : fresh)
        .push_back(entry);
  pages_.insert(pages_.end(), fresh.begin(), fresh.end());
  std::ranges::sort(pages_, {}, page_of);
  Pages::instance().release(known_already);
  return {};
}

void QuasiInvariantState::protect_pages() {
  unprotected_ = false;
  if (!options_.protect_pages || protected_)
    return;
  const auto done = Pages::instance().protect(pages_);
  protected_ = done.has_value();
  unprotected_ = !protected_;
  if (!done)
    base::report("quasi_invariant_not_protected",
                 {{"quasi_invariant", name_}, {"message", done.error().text()}});
}

void QuasiInvariantState::open_pages() {
  if (std::exchange(protected_, false))
    Pages::instance().unprotect(pages_);
}

PageInvalidation QuasiInvariantState::begin_page_invalidation() {
  ++writers_; // prevents that the pages are protected again before end_write()
  {
    const base::MutexLock lock(mutex_);
    if (!protected_)
      return {};
  }
  PageInvalidation how = {Permission::given, false, begin_invalidation(Clock::now())};
  Registry &registry = Registry::instance();
  how.is_to_wait = !options_.deferred &&
                   std::ranges::any_of(how.invalidating.numbers, [&](std::uint64_t number) {
                     return !registry.is_over(number) && runtime::has_dependents({&number, 1});
                   });
  return how;
}

void QuasiInvariantState::finish_page_invalidation(const PageInvalidation &how, Waited waited,
                                                   const PageWrite &write) {
  if (how.permission == Permission::unasked)
    return;
  const bool at_once = waited == Waited::not_at_all || options_.deferred;
  if (at_once)
    leave_behind(how.invalidating);
  else
    for (const std::uint64_t number : how.invalidating.numbers)
      Registry::instance().note_over(number, waited == Waited::for_all);
  if (write.address != 0) {
    const base::MutexLock lock(mutex_);
    ++figures_.page_faults;
    const bool is_its_own = std::ranges::any_of(parts_, [&](const WatchedPart &part) {
      return part.part.address <= write.address && write.address < part.part.end;
    });
    figures_.neighbours += is_its_own ? 0 : 1;
  }
  if (how.invalidating.invalidated.held && write.late)
    base::report(
        "quasi_invariant_invalidated_late",
        {{"quasi_invariant", name_},
         {"address", as_hex(write.address)},
         {"message", "was invalidated only after the write, because the writer holds a lock "
                     "that invalidation takes: calls until then ran wrong code. Give the "
                     "quasi-invariant pages of its own, on which no allocator writes"}});
  end_invalidation(how.invalidating, at_once);
}

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
