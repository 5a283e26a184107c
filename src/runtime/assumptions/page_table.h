// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGE_TABLE_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGE_TABLE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/address_tree.h"
#include "base/mutex.h"

namespace sartor::runtime {

/// How writes to a page are noticed.
enum class Way : unsigned char {
  userfaultfd, ///< The kernel tells of them.
  signal       ///< The page is read-only, and who writes gets SIGSEGV.
};

/// Held for a few system calls only. No thread that holds it can be stopped by a protected page, or
/// by fork(), as one that holds a base::Mutex can.
class SARTOR_CAPABILITY("mutex") PageLock {
public:
  // Not analyzed: they are what the analysis builds on.
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void lock() SARTOR_ACQUIRE(this);
  SARTOR_NO_THREAD_SAFETY_ANALYSIS bool try_lock() SARTOR_TRY_ACQUIRE(true, this) {
    return !locked_.test_and_set(std::memory_order_acquire);
  }
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void unlock() SARTOR_RELEASE(this) {
    locked_.clear(std::memory_order_release);
  }
  void assert_held() const SARTOR_ASSERTS(this) {} ///< As that of base::Mutex.
  /// In a child process, where the thread that held it does not exist.
  void forget_owner() { locked_.clear(std::memory_order_release); }

private:
  std::atomic_flag locked_;
};
inline constinit PageLock page_lock;

/// A page on which there are facts, or have been.
struct PageEntry {
  std::atomic<std::uintptr_t> page = 0; ///< Its address; never changes.
  /// Odd while it is protected; another one each time that this changes.
  std::atomic<std::uint32_t> state = 0;
  std::atomic<Way> way = Way::userfaultfd;
  std::atomic<int> rights = 0; ///< Those that the program has given it, as mmap() has them.
  bool is_of_file SARTOR_GUARDED_BY(page_lock) = false;      ///< A private mapping of a file's.
  std::uint32_t users SARTOR_GUARDED_BY(page_lock) = 0;      ///< Facts about it.
  std::uint32_t protectors SARTOR_GUARDED_BY(page_lock) = 0; ///< Those that have it protected.

  [[nodiscard]] bool is_protected() const { return state.load(std::memory_order_acquire) % 2 == 1; }
};

/// All such pages, by address in a radix tree. Its memory has pages of its own, so that no thread
/// that changes it, or looks something up, meets with a protected page: neither a signal handler
/// nor whoever opens a page may wait.
class PageTable {
public:
  static PageTable &instance();

  /// Takes no lock; null if there is none. May be called in a signal handler.
  [[nodiscard]] PageEntry *find(std::uintptr_t page) const { return entries_.find(page); }
  /// Null without memory.
  PageEntry *find_or_add(std::uintptr_t page) SARTOR_REQUIRES(page_lock);
  template <class Visit> void for_each(Visit visit) {
    for (Chunk *chunk = chunks_.load(std::memory_order_acquire); chunk; chunk = chunk->next)
      for (PageEntry &entry : chunk->entries)
        if (entry.page.load(std::memory_order_acquire) != 0)
          visit(entry);
  }

  /// False in a child that was made behind the C library's back, where nobody opens pages.
  [[nodiscard]] bool is_watched() const;
  /// By who opens pages from now on.
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
  std::atomic<std::atomic<bool> *> watched_ = nullptr; ///< The kernel clears it in children.
};

} // namespace sartor::runtime

#endif
