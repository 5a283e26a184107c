// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_ADDRESS_TREE_H
#define SARTOR_BASE_ADDRESS_TREE_H

#include <array>
#include <atomic>
#include <cstdint>

#include "base/map_pages.h"

namespace sartor::base {

/// A radix tree with a pointer for each 2^`kUnit` bytes of a process's address space, which has 48
/// bits on x86-64. Lookups take no lock and may be made in signal handlers. Nodes are never freed,
/// and reading one touches no page of the allocator.
template <class T, unsigned kUnit> class AddressTree {
public:
  /// Null if there is none.
  [[nodiscard]] T *find(std::uintptr_t address) const {
    if (address >> kAddressBits != 0)
      return nullptr;
    const std::atomic<void *> *ways = root_.data();
    for (unsigned shift = kHighest;; shift -= kBits) {
      void *next = ways[address >> shift & (kWays - 1)].load(std::memory_order_acquire);
      if (!next || shift == kUnit)
        return static_cast<T *>(next);
      ways = static_cast<const Node *>(next)->ways.data();
    }
  }

  /// May be called by one thread at a time. Returns false if memory is exhausted, or the address is
  /// beyond the range of the tree.
  bool set(std::uintptr_t address, T *to) {
    if (address >> kAddressBits != 0)
      return false;
    std::atomic<void *> *ways = root_.data();
    for (unsigned shift = kHighest;; shift -= kBits) {
      std::atomic<void *> &way = ways[address >> shift & (kWays - 1)];
      if (shift == kUnit) {
        way.store(to, std::memory_order_release);
        return true;
      }
      void *next = way.load(std::memory_order_acquire);
      if (!next) {
        next = map_pages(sizeof(Node)); // zeroed, so all pointers are null
        way.store(next, std::memory_order_release);
      }
      if (!next)
        return false;
      ways = static_cast<Node *>(next)->ways.data();
    }
  }

private:
  static constexpr unsigned kAddressBits = 48, kBits = 12;
  static constexpr std::uintptr_t kWays = 1U << kBits;
  static constexpr unsigned kLevels = (kAddressBits - kUnit + kBits - 1) / kBits;
  static constexpr unsigned kHighest = kUnit + (kLevels - 1) * kBits;
  struct Node {
    std::array<std::atomic<void *>, kWays> ways; ///< Nodes; on the last level, the values.
  };

  std::array<std::atomic<void *>, kWays> root_ = {};
};

} // namespace sartor::base

#endif
