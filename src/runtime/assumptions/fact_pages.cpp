// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a fact does that has its pages protected.
#include <algorithm>
#include <utility>

#include "base/reports.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/hex.h"
#include "runtime/dispatch/leaning.h"

namespace sartor::runtime {

Result<void> Fact::claim_pages(const WatchedPart &part) {
  if (!options_.protect_pages || part.part.end <= part.part.address)
    return {};
  auto claimed = Pages::instance().claim(part.part);
  if (!claimed) {
    Failure failure = std::move(claimed.error());
    failure.message = "fact \"" + name_ + "\": " + failure.message;
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

void Fact::protect_pages() {
  unprotected_ = false;
  if (!options_.protect_pages || protected_)
    return;
  const auto done = Pages::instance().protect(pages_);
  protected_ = done.has_value();
  unprotected_ = !protected_;
  if (!done)
    base::report("fact_not_protected", {{"fact", name_}, {"message", done.error().text()}});
}

void Fact::open_pages() {
  if (std::exchange(protected_, false))
    Pages::instance().unprotect(pages_);
}

PageBreak Fact::begin_page_break() {
  ++writers_; // nobody has it protected again until end_write()
  {
    const base::MutexLock lock(mutex_);
    if (!protected_)
      return {};
  }
  PageBreak how = {Permission::given, false, begin_breaking(Clock::now())};
  Registry &registry = Registry::instance();
  how.is_to_wait =
      !options_.deferred && std::ranges::any_of(how.breaking.numbers, [&](std::uint64_t number) {
        return !registry.is_over(number) && runtime::anything_leans_on({&number, 1});
      });
  return how;
}

void Fact::finish_page_break(const PageBreak &how, Waited waited, const PageWrite &write) {
  if (how.permission == Permission::unasked)
    return;
  const bool at_once = waited == Waited::not_at_all || options_.deferred;
  if (at_once)
    leave_behind(how.breaking);
  else
    for (const std::uint64_t number : how.breaking.numbers)
      Registry::instance().note_over(number, waited == Waited::for_all);
  if (write.address != 0) {
    const base::MutexLock lock(mutex_);
    ++figures_.page_faults;
    const bool is_its_own = std::ranges::any_of(parts_, [&](const WatchedPart &part) {
      return part.part.address <= write.address && write.address < part.part.end;
    });
    figures_.neighbours += is_its_own ? 0 : 1;
  }
  if (how.breaking.broken.held && write.late)
    base::report("fact_broken_late",
                 {{"fact", name_},
                  {"address", as_hex(write.address)},
                  {"message", "has broken only after the write, as whoever wrote holds a lock "
                              "that this takes: calls until then ran code that was wrong. Give "
                              "the fact pages of its own, on which no allocator writes"}});
  end_breaking(how.breaking, at_once);
}

} // namespace sartor::runtime
