// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/pages.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/map_pages.h"
#include "base/reports.h"
#include "base/result.h"
#include "base/thread/own_stack.h"
#include "core/request/invariant_memory.h"
#include "runtime/assumptions/hex.h"
#include "runtime/assumptions/pages/fault_invalidations.h"
#include "runtime/assumptions/pages/fault_signal.h"
#include "runtime/assumptions/pages/fault_watch.h"

namespace sartor::runtime {

namespace {

/// The kind of mapping of some of the program's memory.
struct Mapping {
  int rights = 0;          ///< As arguments of mmap().
  bool is_of_file = false; ///< Some of the memory is a private mapping of a file.
};

using core::Extent;

std::unexpected<Failure> refused(Extent memory, const char *why) {
  return std::unexpected(Failure{
      ErrorCode::bad_invariant, as_hex(memory.address), why,
      "give the quasi-invariant pages of its own, or guard its writers, without protect_pages"});
}

struct Line {
  Extent extent;
  Mapping mapping;
  bool is_stack;
};

std::optional<Line> next(std::istream &maps) {
  std::string line;
  if (!std::getline(maps, line))
    return std::nullopt;
  std::istringstream words(line);
  Line read{};
  char dash = 0;
  std::string rights;
  std::string offset;
  std::string device;
  std::uint64_t file = 0; // the inode; 0 if there is no file
  words >> std::hex >> read.extent.address >> dash >> read.extent.end >> rights >> offset >>
      device >> std::dec >> file;
  rights.resize(4);
  read.mapping.rights = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
                        (rights[2] == 'x' ? PROT_EXEC : 0);
  read.mapping.is_of_file = rights[3] == 'p' && file != 0;
  read.is_stack = line.ends_with("[stack]");
  return read;
}

/// Looks up the mapping of some memory. Fails with bad_invariant if the memory is not writable, has
/// different rights in different parts, or is a stack.
Result<Mapping> mapping_of(Extent memory) {
  if (const auto stack = base::OwnStack::find();
      stack && memory.address < stack->end && stack->low < memory.end)
    return refused(memory, "is a thread's stack, which cannot be protected");
  std::ifstream maps("/proc/self/maps");
  std::uintptr_t known_to = memory.address;
  std::optional<Mapping> found;
  while (const auto line = next(maps)) {
    if (line->extent.end <= known_to || line->extent.address > known_to)
      continue;
    if (line->is_stack)
      return refused(memory, "is a thread's stack, which cannot be protected");
    if ((line->mapping.rights & PROT_WRITE) == 0)
      return refused(memory, "cannot be written to by this process, so that its changes are not "
                             "seen by protecting it");
    if (found && found->rights != line->mapping.rights)
      return refused(memory, "consists of mappings with different rights");
    found = {line->mapping.rights, line->mapping.is_of_file || (found && found->is_of_file)};
    known_to = line->extent.end;
    if (known_to >= memory.end)
      return *found;
  }
  return refused(memory, "is no memory of this process's");
}

/// The longest run of pages that is protected at once. The table's lock is held for the system
/// calls of a run, which take some microseconds.
constexpr std::size_t kLongestRun = 512;

PageTable &table() { return PageTable::instance(); }

/// Copies by one instruction that no sanitizer checks: other threads write to these pages until
/// they are protected, which a sanitizer would report as a race.
void copy(void *to, const void *from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

std::string text_of(int error) { return std::generic_category().message(error); }

} // namespace

Pages &Pages::instance() {
  static auto *pages = new Pages; // never destroyed: quasi-invariants may be static objects
  return *pages;
}

Pages::Pages() : size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) { base::add(*this); }

Result<void> Pages::watch() {
  const base::MutexLock lock(mutex_);
  if (watching_)
    return {};
  if (auto begun = FaultInvalidations::instance().start(); !begun)
    return begun;
  auto begun = FaultWatch::instance().start(descriptor_);
  if (!begun)
    return std::unexpected(std::move(begun.error()));
  why_no_descriptor_ = *begun;
  table().set_watched();
  watching_ = true;
  return {};
}

Result<PageEntries> Pages::enter(core::Extent memory) {
  const core::Extent whole = {memory.address & ~(size_ - 1),
                              (memory.end + size_ - 1) & ~(size_ - 1)};
  PageEntries entries((whole.end - whole.address) / size_);
  // Claimed pages may be protected now, and were checked when they were claimed.
  const auto first_unclaimed = [&]() SARTOR_REQUIRES(page_lock) {
    std::uintptr_t page = whole.address;
    for (const PageEntry *known; page < whole.end && (known = table().find(page)) && known->users;)
      page += size_;
    return page;
  };
  std::uintptr_t first = 0;
  {
    const base::MutexLock lock(page_lock);
    first = first_unclaimed();
  }
  auto mapping = first < whole.end ? mapping_of({first, whole.end}) : Result<Mapping>();
  if (!mapping)
    return std::unexpected(std::move(mapping.error()));
  base::MutexLock lock(page_lock);
  if (first_unclaimed() < first) { // released meanwhile: its rights are not known
    lock.unlock();
    return enter(memory);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = table().find_or_add(whole.address + i * size_);
    if (!entries[i]) {
      for (std::size_t claimed = 0; claimed < i; ++claimed)
        --entries[claimed]->users;
      return std::unexpected(Failure{ErrorCode::bad_invariant, as_hex(memory.address),
                                     "cannot be protected: there is no memory for it",
                                     "allow the process more memory"});
    }
    if (entries[i]->users++ == 0) {
      entries[i]->rights = mapping->rights;
      entries[i]->is_of_file = mapping->is_of_file;
    }
  }
  return entries;
}

Result<PageEntries> Pages::claim(core::Extent memory) {
  if (auto watched = watch(); !watched)
    return std::unexpected(std::move(watched.error()));
  auto entries = enter(memory);
  if (!entries)
    return entries;
  if (descriptor_.is_open())
    take_off_files(*entries);
  if (auto tried = protect(*entries); !tried) {
    release(*entries);
    return std::unexpected(std::move(tried.error()));
  }
  unprotect(*entries);
  return entries;
}

template <class Chosen> Pages::Run Pages::first_of(Run pages, std::size_t size, Chosen chosen) {
  std::size_t count = 1;
  while (count < pages.size() && count < kLongestRun &&
         pages[count]->page == pages[count - 1]->page + size &&
         chosen(*pages[count]) == chosen(*pages[0]))
    ++count;
  return pages.first(count);
}

void Pages::release(const PageEntries &entries) {
  const auto is_over = [](const PageEntry &entry) {
    page_lock.assert_held();
    return entry.users == 0 && entry.way == Way::userfaultfd;
  };
  for (Run rest = entries; !rest.empty();) {
    const base::MutexLock lock(page_lock);
    const Run pages = first_of(rest, size_, [](const PageEntry &) { return true; });
    for (PageEntry *entry : pages)
      --entry->users;
    rest = rest.subspan(pages.size());
    for (Run left = pages; !left.empty();) {
      const Run run = first_of(left, size_, is_over);
      if (is_over(*run.front()))
        descriptor_.forget(run.front()->page, run.size() * size_);
      left = left.subspan(run.size());
    }
  }
}

// Writers are stopped while the contents are copied.
void Pages::take_off_files(const PageEntries &entries) {
  const auto is_to_move = [](const PageEntry &entry) {
    page_lock.assert_held();
    return entry.is_of_file && !entry.is_protected() && entry.rights == (PROT_READ | PROT_WRITE);
  };
  bool any = false;
  {
    const base::MutexLock lock(page_lock);
    any = std::ranges::any_of(entries, [](const PageEntry *entry) SARTOR_REQUIRES(page_lock) {
      return entry->is_of_file;
    });
  }
  if (!any || FaultSignal::install() != 0)
    return;
  for (Run rest = entries; !rest.empty();) {
    const base::MutexLock lock(page_lock);
    const Run run = first_of(rest, size_, is_to_move);
    if (is_to_move(*run.front()))
      take_off_file(run, run.size() * size_);
    rest = rest.subspan(run.size());
  }
}

void Pages::take_off_file(Run run, std::size_t bytes) {
  auto *const pages = reinterpret_cast<void *>(run.front()->page.load());
  void *other = base::map_pages(bytes);
  if (!other)
    return;
  for (PageEntry *entry : run) {
    entry->way = Way::signal;
    ++entry->state;
  }
  bool moved = false;
  if (mprotect(pages, bytes, PROT_READ) == 0) {
    copy(other, pages, bytes);
    moved = mremap(other, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages) == pages;
    // mremap() can fail before it unmaps the old pages, or afterwards if memory is exhausted.
    if (!moved && mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0 &&
        mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == pages)
      copy(pages, other, bytes);
  }
  if (!moved)
    munmap(other, bytes);
  for (PageEntry *entry : run) {
    entry->is_of_file = !moved;
    ++entry->state;
    FaultSignal::wake(*entry);
  }
}

// The state is set first: a thread that stops at once must find the page protected.
int Pages::close_run(Run run) {
  for (PageEntry *entry : run) {
    entry->way = Way::userfaultfd;
    ++entry->state;
  }
  if (descriptor_.protect(run.front()->page, run.size() * size_) == 0)
    return 0;
  for (std::size_t i = 0; i < run.size(); ++i)
    if (const int error = close_page(*run[i])) {
      for (PageEntry *entry : run.subspan(i)) {
        ++entry->state;
        FaultSignal::wake(*entry);
      }
      open_run(run.first(i));
      return error;
    }
  return 0;
}

int Pages::close_page(PageEntry &entry) {
  const std::uintptr_t page = entry.page;
  entry.way = Way::userfaultfd;
  if (descriptor_.protect(page, size_) == 0)
    return 0;
  entry.way = Way::signal;
  if (const int error = FaultSignal::install())
    return error;
  return mprotect(reinterpret_cast<void *>(page), size_, entry.rights & ~PROT_WRITE) == 0 ? 0
                                                                                          : errno;
}

void Pages::open_run(Run run) {
  const auto is_reported = [](const PageEntry &entry) { return entry.way == Way::userfaultfd; };
  for (Run left = run; !left.empty();) {
    const Run pages = first_of(left, size_, is_reported);
    const std::uintptr_t page = pages.front()->page;
    if (is_reported(*pages.front()))
      descriptor_.unprotect(page, pages.size() * size_);
    else
      for (PageEntry *entry : pages)
        (void)mprotect(reinterpret_cast<void *>(entry->page.load()), size_, entry->rights);
    for (PageEntry *entry : pages) {
      ++entry->state;
      if (entry->way == Way::signal)
        FaultSignal::wake(*entry);
    }
    left = left.subspan(pages.size());
  }
}

Failure Pages::failure(const PageEntry &entry, int error) const {
  std::string why = "cannot be protected against writes: ";
  if (const int no_descriptor = why_no_descriptor_)
    why += "userfaultfd: " + text_of(no_descriptor) + "; ";
  return {ErrorCode::bad_invariant, as_hex(entry.page), why + "mprotect: " + text_of(error),
          "place the quasi-invariant in ordinary memory, or guard its writers, without "
          "protect_pages"};
}

Result<void> Pages::protect(const PageEntries &entries) {
  const auto is_protected = [](const PageEntry &entry) { return entry.is_protected(); };
  for (Run rest = entries; !rest.empty();) {
    int error = 0;
    {
      const base::MutexLock lock(page_lock);
      const Run run = first_of(rest, size_, is_protected);
      if (!is_protected(*run.front()))
        error = close_run(run);
      if (error == 0) {
        for (PageEntry *entry : run)
          ++entry->protectors;
        rest = rest.subspan(run.size());
      }
    }
    if (error != 0) {
      unprotect({entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(rest.size())});
      return std::unexpected(failure(*rest.front(), error));
    }
  }
  return {};
}

void Pages::unprotect(const PageEntries &entries) {
  const auto is_to_open = [](const PageEntry &entry) {
    page_lock.assert_held();
    return entry.protectors == 1 && entry.is_protected();
  };
  for (Run rest = entries; !rest.empty();) {
    const base::MutexLock lock(page_lock);
    const Run run = first_of(rest, size_, is_to_open);
    const bool opens = is_to_open(*run.front());
    for (PageEntry *entry : run)
      --entry->protectors;
    if (opens)
      open_run(run);
    rest = rest.subspan(run.size());
  }
}

// The thread that holds the lock may be waiting for the descriptor's owner, so the owner serves
// requests while it waits for the lock.
void Pages::open(PageEntry &entry) {
  while (!page_lock.try_lock())
    if (FaultDescriptor::is_owner())
      descriptor_.serve();
    else
      sched_yield();
  if (entry.is_protected())
    open_page(entry);
  page_lock.unlock();
}

// Quasi-invariants stay valid if their pages can be protected in the child, too: there is no other
// thread yet.
void Pages::after_fork_in_child() {
  page_lock.forget_owner(); // another thread of the parent's may have held it
  descriptor_.after_fork_in_child();
  {
    const base::MutexLock lock(mutex_);
    if (!std::exchange(watching_, false))
      return;
  }
  const auto watched = watch();
  if (!watched)
    base::report("no_thread", watched.error());
  table().for_each([&](PageEntry &entry) {
    const bool was_protected = entry.is_protected();
    if (was_protected && entry.way == Way::signal)
      (void)mprotect(reinterpret_cast<void *>(entry.page.load()), size_, entry.rights);
    if (was_protected)
      ++entry.state;
    PageEntry *const one = &entry;
    bool is_open = false;
    {
      const base::MutexLock lock(page_lock);
      is_open = entry.protectors > 0 && (!watched || close_run({&one, 1}) != 0);
    }
    if (is_open)
      FaultInvalidations::invalidate_at_once(entry);
  });
}

} // namespace sartor::runtime
