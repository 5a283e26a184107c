// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_PAGE_TABLE_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_PAGE_TABLE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/address_tree.h"
#include "base/thread/mutex.h"

namespace sartor::runtime {

/// The mechanism by which writes to a page are detected.
enum class Way : unsigned char {
  userfaultfd, ///< The kernel reports them.
  signal       ///< The page is read-only, and a writing thread gets SIGSEGV.
};

/// A spin lock that is held for a few system calls only. A thread that holds it cannot be stopped
/// by a protected page or by fork(), unlike one that holds a base::Mutex.
class SARTOR_CAPABILITY("mutex") PageLock {
public:
  // Not analyzed: the thread-safety analysis is based on these functions.
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void lock() SARTOR_ACQUIRE(this);
  SARTOR_NO_THREAD_SAFETY_ANALYSIS bool try_lock() SARTOR_TRY_ACQUIRE(true, this) {
    return !locked_.test_and_set(std::memory_order_acquire);
  }
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void unlock() SARTOR_RELEASE(this) {
    locked_.clear(std::memory_order_release);
  }
  void assert_held() const SARTOR_ASSERTS(this) {} ///< As base::Mutex::assert_held().
  /// Releases the lock in a child process, where the thread that held it does not exist.
  void forget_owner() { locked_.clear(std::memory_order_release); }

private:
  std::atomic_flag locked_;
};
inline constinit PageLock page_lock;

/// A page that is, or has been, part of the memory of a quasi-invariant.
struct PageEntry {
  std::atomic<std::uintptr_t> page = 0; ///< The page's address; never changes.
  /// Odd while the page is protected; incremented each time that this changes.
  std::atomic<std::uint32_t> state = 0;
  std::atomic<Way> way = Way::userfaultfd;
  /// The rights that the program has given the page, as arguments of mmap().
  std::atomic<int> rights = 0;
  /// The page is a private mapping of a file.
  bool is_of_file SARTOR_GUARDED_BY(page_lock) = false;
  /// The number of quasi-invariants on the page.
  std::uint32_t users SARTOR_GUARDED_BY(page_lock) = 0;
  /// The number of those that have it protected.
  std::uint32_t protectors SARTOR_GUARDED_BY(page_lock) = 0;

  [[nodiscard]] bool is_protected() const { return state.load(std::memory_order_acquire) % 2 == 1; }
};

/// All such pages, by address in a radix tree. The tree's memory has pages of its own, so that a
/// thread that changes it or searches it does not stop at a protected page: neither a signal
/// handler nor a thread that opens a page may wait.
class PageTable {
public:
  static PageTable &instance();

  /// Returns the page's entry, or null. Takes no lock; may be called in a signal handler.
  [[nodiscard]] PageEntry *find(std::uintptr_t page) const { return entries_.find(page); }
  /// Returns null if memory is exhausted.
  PageEntry *find_or_add(std::uintptr_t page) SARTOR_REQUIRES(page_lock);
  template <class Visit> void for_each(Visit visit) {
    for (Chunk *chunk = chunks_.load(std::memory_order_acquire); chunk; chunk = chunk->next)
      for (PageEntry &entry : chunk->entries)
        if (entry.page.load(std::memory_order_acquire) != 0)
          visit(entry);
  }

  /// False in a child process that was made without the C library's fork(), where no thread opens
  /// pages.
  [[nodiscard]] bool is_watched() const;
  /// Called by the process that opens pages from now on.
  void set_watched();

private:
  static constexpr std::size_t kInChunk = 512;
  struct Chunk {
    std::array<PageEntry, kInChunk> entries;
    std::size_t used = 0;
    Chunk *next = nullptr;
  };
  PageEntry *new_entry() SARTOR_REQUIRES(page_lock);

  static constexpr unsigned kPageBits = 12;
  base::AddressTree<PageEntry, kPageBits> entries_;
  std::atomic<Chunk *> chunks_ = nullptr;
  std::atomic<std::atomic<bool> *> watched_ = nullptr; ///< The kernel clears it in child processes.
};

} // namespace sartor::runtime

#endif
