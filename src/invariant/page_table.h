// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_PAGE_TABLE_H
#define SARTOR_INVARIANT_PAGE_TABLE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/address_tree.h"

namespace sartor::invariant {

/// How writes to a page are noticed.
enum class Way : unsigned char {
  userfaultfd, ///< The kernel tells of them.
  signal       ///< The page is read-only, and who writes gets SIGSEGV.
};

/// A page on which there are facts, or have been. All but what is atomic is PageTable::lock()'s.
struct PageEntry {
  std::atomic<std::uintptr_t> page = 0; ///< Its address; never changes.
  /// Odd while it is protected; another one each time that this changes.
  std::atomic<std::uint32_t> state = 0;
  std::atomic<Way> way = Way::userfaultfd;
  std::atomic<int> rights = 0;  ///< Those that the program has given it, as mmap() has them.
  bool is_of_file = false;      ///< A private mapping of a file's.
  std::uint32_t users = 0;      ///< Facts about it.
  std::uint32_t protectors = 0; ///< Those that have it protected.

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
  /// With the lock held. Null without memory.
  PageEntry *find_or_add(std::uintptr_t page);
  template <class Visit> void for_each(Visit visit) {
    for (Chunk *chunk = chunks_.load(std::memory_order_acquire); chunk; chunk = chunk->next)
      for (PageEntry &entry : chunk->entries)
        if (entry.page.load(std::memory_order_acquire) != 0)
          visit(entry);
  }

  /// Held for a few system calls only, and by nobody who could be stopped by a protected page or
  /// by fork(), as an engine::Mutex is.
  void lock();
  bool try_lock() { return !locked_.test_and_set(std::memory_order_acquire); }
  void unlock() { locked_.clear(std::memory_order_release); }
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
  PageEntry *new_entry();

  static constexpr unsigned kPageBits = 12;
  engine::AddressTree<PageEntry, kPageBits> entries_;
  std::atomic<Chunk *> chunks_ = nullptr;
  std::atomic_flag locked_;
  std::atomic<std::atomic<bool> *> watched_ = nullptr; ///< The kernel clears it in children.
};

} // namespace sartor::invariant

#endif
