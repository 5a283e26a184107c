// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_BLOCK_H
#define SARTOR_CORE_PROFILE_BLOCK_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/thread/per_thread.h"

namespace sartor::core {

/// Header of the memory in which a thread counts, which follows it and has the format of Layout.
/// Created in zeroed pages.
struct alignas(64) Block : base::ThreadBlock<Block> {
  explicit Block(std::size_t size) : size_(size) {}

  [[nodiscard]] std::byte *memory() { return reinterpret_cast<std::byte *>(this + 1); }
  /// The value in the threads' tables.
  [[nodiscard]] void *shown() { return memory(); }
  static Block *of(void *shown) { return static_cast<Block *>(shown) - 1; }
  /// Size with the header.
  [[nodiscard]] std::size_t bytes() const { return sizeof(Block) + size_; }
  /// Does nothing at the end of its thread: the counts are kept.
  void leave() {}

  /// Reinitializes a block that was cleared. Called by its thread.
  void renew();
  /// True if everything that `read` reads is from one life of the block, and not cleared.
  template <class Read> bool read_if_valid(Read read) {
    const std::uint64_t life = lives_.load(std::memory_order_acquire);
    if (cleared.load(std::memory_order_acquire))
      return false;
    read();
    return lives_.load(std::memory_order_relaxed) == life;
  }

  /// The counts are to be discarded. Set by any thread.
  std::atomic<bool> cleared{false};
  /// The thread is counting: a signal handler must not count then.
  std::atomic<bool> busy{false};

private:
  const std::size_t size_;
  std::atomic<std::uint64_t> lives_{0}; ///< Number of calls of renew().
};

} // namespace sartor::core

#endif
