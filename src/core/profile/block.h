// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_BLOCK_H
#define SARTOR_CORE_PROFILE_BLOCK_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/per_thread.h"

namespace sartor::core {

/// What comes before the memory in which a thread counts, which is laid out as Layout says and lies
/// right behind. Made in zeroed pages.
struct alignas(64) Block : base::ThreadBlock<Block> {
  explicit Block(std::size_t size) : size_(size) {}

  [[nodiscard]] std::byte *memory() { return reinterpret_cast<std::byte *>(this + 1); }
  /// What the threads' tables have.
  [[nodiscard]] void *shown() { return memory(); }
  static Block *of(void *shown) { return static_cast<Block *>(shown) - 1; }
  /// All of it.
  [[nodiscard]] std::size_t bytes() const { return sizeof(Block) + size_; }
  /// Nothing to do when its thread ends: what was counted stays.
  void leave() {}

  /// By its thread: makes a block that was cleared as good as new.
  void renew();
  /// Whether what `read` reads is all of one life of the block, and not cleared.
  template <class Read> bool read_if_valid(Read read) {
    const std::uint64_t life = lives_.load(std::memory_order_acquire);
    if (cleared.load(std::memory_order_acquire))
      return false;
    read();
    return lives_.load(std::memory_order_relaxed) == life;
  }

  /// What was counted is to be forgotten. Set by any thread.
  std::atomic<bool> cleared{false};
  /// The thread is counting: a signal handler that finds it so must not.
  std::atomic<bool> busy{false};

private:
  const std::size_t size_;
  std::atomic<std::uint64_t> lives_{0}; ///< How often it was renewed.
};

} // namespace sartor::core

#endif
