// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/life.h"
#include "base/mutex.h"
#include "base/result.h"
#include "core/request/promised_memory.h"
#include "runtime/assumptions/fault_descriptor.h"
#include "runtime/assumptions/page_table.h"

namespace sartor::runtime {

using PageEntries = std::vector<PageEntry *>;

/// Pages that are protected against writes, and the threads that are told of who writes all the
/// same: FaultWatch reads what the kernel says, FaultBreaks breaks facts. Thread-safe.
class Pages final : base::Resident {
public:
  static Pages &instance();

  /// The pages of some memory, of which each has been protected once to see that it can be. Fails
  /// with bad_invariant, naming the memory, or no_thread.
  Result<PageEntries> claim(core::Extent memory);
  /// None of them is touched from then on, unless somebody else has claimed it as well.
  void release(const PageEntries &entries);

  /// Writers stop from now on, until all who have had a page protected have had it unprotected.
  /// Fails, with none of it protected, with bad_invariant.
  Result<void> protect(const PageEntries &entries);
  void unprotect(const PageEntries &entries);
  /// Lets writers go on whatever others want. Takes no lock that a stopped thread may have.
  void open(PageEntry &entry);

  [[nodiscard]] core::Extent extent_of(const PageEntry &entry) const {
    const std::uintptr_t page = entry.page.load(std::memory_order_relaxed);
    return {page, page + size_};
  }
  [[nodiscard]] PageEntry *find(std::uintptr_t address) const {
    return PageTable::instance().find(address & ~(size_ - 1));
  }

private:
  Pages();
  Result<void> watch();
  Result<PageEntries> enter(core::Extent memory);
  using Run = std::span<PageEntry *const>;
  /// The pages that a run begins with which lie one behind the other, and of which all are or all
  /// are not `chosen`.
  template <class Chosen> static Run first_of(Run pages, std::size_t size, Chosen chosen);
  /// Makes a private mapping of a file memory of no file's, which is what userfaultfd knows.
  void take_off_files(const PageEntries &entries);
  static void take_off_file(Run run, std::size_t bytes) SARTOR_REQUIRES(page_lock);
  /// Returns 0 or an error's number.
  int close_run(Run run) SARTOR_REQUIRES(page_lock);
  int close_page(PageEntry &entry) SARTOR_REQUIRES(page_lock);
  void open_run(Run run) SARTOR_REQUIRES(page_lock);
  void open_page(PageEntry &entry) SARTOR_REQUIRES(page_lock) {
    PageEntry *const one = &entry;
    open_run({&one, 1});
  }
  [[nodiscard]] Failure failure(const PageEntry &entry, int error) const;
  void after_fork_in_child() override;

  const std::size_t size_; ///< Of a page.
  base::Mutex mutex_;
  FaultDescriptor descriptor_;
  std::atomic<int> why_no_descriptor_ = 0;
  bool watching_ SARTOR_GUARDED_BY(mutex_) = false;
};

} // namespace sartor::runtime

#endif
