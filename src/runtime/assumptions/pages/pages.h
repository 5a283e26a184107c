// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_PAGES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_PAGES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/life.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/request/invariant_memory.h"
#include "runtime/assumptions/pages/fault_descriptor.h"
#include "runtime/assumptions/pages/page_table.h"

namespace sartor::runtime {

using PageEntries = std::vector<PageEntry *>;

/// Pages that are protected against writes, and the threads that handle writes to them: FaultWatch
/// reads the kernel's reports, FaultInvalidations invalidates quasi-invariants. Thread-safe.
class Pages final : base::Resident {
public:
  static Pages &instance();

  /// Claims the pages of some memory; each is protected once to test that it can be. Fails with
  /// bad_invariant, naming the memory, or no_thread.
  Result<PageEntries> claim(core::Extent memory);
  /// Releases claimed pages. A page is not protected again unless another quasi-invariant has
  /// claimed it too.
  void release(const PageEntries &entries);

  /// Protects pages: threads that write to them stop from now on, until each protect() of the page
  /// has been matched by unprotect(). Fails with bad_invariant, with none of the pages protected.
  Result<void> protect(const PageEntries &entries);
  void unprotect(const PageEntries &entries);
  /// Opens a page to writers, whether or not others have protected it. Takes no lock that a stopped
  /// thread may hold.
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
  /// Returns the longest prefix of `pages` that is contiguous in memory and of which either all or
  /// none are `chosen`.
  template <class Chosen> static Run first_of(Run pages, std::size_t size, Chosen chosen);
  /// Replaces private file mappings by anonymous memory with the same content, as userfaultfd
  /// requires.
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

  const std::size_t size_; ///< The size of a page.
  base::Mutex mutex_;
  FaultDescriptor descriptor_;
  std::atomic<int> why_no_descriptor_ = 0;
  bool watching_ SARTOR_GUARDED_BY(mutex_) = false;
};

} // namespace sartor::runtime

#endif
