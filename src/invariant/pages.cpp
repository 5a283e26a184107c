// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/pages.h"

#include <cerrno>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "engine/reports.h"
#include "invariant/fault_breaks.h"
#include "invariant/fault_signal.h"
#include "invariant/fault_watch.h"
#include "invariant/hex.h"
#include "invariant/mappings.h"

namespace sartor::invariant {

namespace {

PageTable &table() { return PageTable::instance(); }

std::string text_of(int error) { return std::generic_category().message(error); }

} // namespace

Pages &Pages::instance() {
  static auto *pages = new Pages; // facts may be static objects, destroyed at any time
  return *pages;
}

Pages::Pages() : size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) { engine::add(*this); }

Result<void> Pages::watch() {
  const std::lock_guard lock(mutex_);
  if (watching_)
    return {};
  if (descriptor_.file() < 0)
    why_no_descriptor_ = descriptor_.open();
  if (const int error = FaultSignal::open())
    return std::unexpected(Failure{ErrorCode::no_thread, "sartor-pages",
                                   "cannot be told who writes: " + text_of(error),
                                   "allow the process more open files (ulimit -n)"});
  if (auto begun = FaultBreaks::instance().start(); !begun)
    return begun;
  if (auto begun = FaultWatch::instance().start(); !begun)
    return begun;
  table().set_watched();
  watching_ = true;
  return {};
}

Result<PageEntries> Pages::enter(specialize::Extent memory) {
  const specialize::Extent whole = {memory.address & ~(size_ - 1),
                                    (memory.end + size_ - 1) & ~(size_ - 1)};
  PageEntries entries((whole.end - whole.address) / size_);
  // What has been claimed may be protected now, and was looked at before.
  std::uintptr_t first = whole.address;
  for (const PageEntry *known; first < whole.end && (known = table().find(first)) && known->users;)
    first += size_;
  auto rights = first < whole.end ? rights_of({first, whole.end}) : Result<int>(0);
  if (!rights)
    return std::unexpected(std::move(rights.error()));
  const std::lock_guard lock(table());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = table().find_or_add(whole.address + i * size_);
    if (!entries[i]) {
      for (std::size_t claimed = 0; claimed < i; ++claimed)
        --entries[claimed]->users;
      return std::unexpected(Failure{ErrorCode::bad_invariant, as_hex(memory.address),
                                     "cannot be protected: there is no memory for it",
                                     "allow the process more memory"});
    }
    if (entries[i]->users++ == 0)
      entries[i]->rights = *rights;
  }
  return entries;
}

Result<PageEntries> Pages::claim(specialize::Extent memory) {
  if (auto watched = watch(); !watched)
    return std::unexpected(std::move(watched.error()));
  auto entries = enter(memory);
  if (!entries)
    return entries;
  if (auto tried = protect(*entries); !tried) {
    release(*entries);
    return std::unexpected(std::move(tried.error()));
  }
  unprotect(*entries);
  return entries;
}

void Pages::release(const PageEntries &entries) {
  const std::lock_guard lock(table());
  for (PageEntry *entry : entries)
    if (--entry->users == 0 && entry->way == Way::userfaultfd)
      descriptor_.forget(entry->page, size_);
}

// Who stops at once has to find that it is protected.
int Pages::close_page(PageEntry &entry) {
  const std::uintptr_t page = entry.page;
  entry.way = Way::userfaultfd;
  ++entry.state;
  int error = descriptor_.protect(page, size_);
  if (error == 0)
    return 0;
  entry.way = Way::signal;
  error = FaultSignal::install();
  if (error == 0 && mprotect(reinterpret_cast<void *>(page), size_, entry.rights & ~PROT_WRITE))
    error = errno;
  if (error != 0) {
    ++entry.state;
    FaultSignal::wake(entry);
  }
  return error;
}

void Pages::open_page(PageEntry &entry) {
  const std::uintptr_t page = entry.page;
  if (entry.way == Way::userfaultfd)
    descriptor_.unprotect(page, size_);
  else
    (void)mprotect(reinterpret_cast<void *>(page), size_, entry.rights);
  ++entry.state;
  FaultSignal::wake(entry);
}

Failure Pages::failure(const PageEntry &entry, int error) const {
  std::string why = "cannot be protected against writes: ";
  if (why_no_descriptor_ != 0)
    why += "userfaultfd: " + text_of(why_no_descriptor_) + "; ";
  return {ErrorCode::bad_invariant, as_hex(entry.page), why + "mprotect: " + text_of(error),
          "give the fact memory of an ordinary kind, or have its writers guarded, without "
          "protect_pages"};
}

Result<void> Pages::protect(const PageEntries &entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    int error = 0;
    {
      const std::lock_guard lock(table());
      if (!entries[i]->is_protected())
        error = close_page(*entries[i]);
      if (error == 0)
        ++entries[i]->protectors;
    }
    if (error != 0) {
      unprotect({entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(i)});
      return std::unexpected(failure(*entries[i], error));
    }
  }
  return {};
}

void Pages::unprotect(const PageEntries &entries) {
  for (PageEntry *entry : entries) {
    const std::lock_guard lock(table());
    if (--entry->protectors == 0 && entry->is_protected())
      open_page(*entry);
  }
}

void Pages::open(PageEntry &entry) {
  const std::lock_guard lock(table());
  if (entry.is_protected())
    open_page(entry);
}

// Facts go on holding if their pages can be protected here, too: there is no other thread yet.
void Pages::after_fork_in_child() {
  table().unlock(); // another thread of the parent's may have held it
  descriptor_.close();
  FaultSignal::after_fork_in_child();
  if (!std::exchange(watching_, false))
    return;
  const auto watched = watch();
  if (!watched)
    engine::report("no_thread", {{"message", watched.error().text()}});
  table().for_each([&](PageEntry &entry) {
    const bool was_protected = entry.is_protected();
    if (was_protected && entry.way == Way::signal)
      (void)mprotect(reinterpret_cast<void *>(entry.page.load()), size_, entry.rights);
    if (was_protected)
      ++entry.state;
    if (entry.protectors > 0 && (!watched || close_page(entry) != 0))
      FaultBreaks::break_at_once(entry);
  });
}

} // namespace sartor::invariant
