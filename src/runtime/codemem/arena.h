// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_ARENA_H
#define SARTOR_RUNTIME_CODEMEM_ARENA_H

#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>

#include "base/life.h"
#include "base/mutex.h"
#include "runtime/codemem/area.h"
#include "runtime/codemem/free_ranges.h"

namespace sartor::runtime {

/// Memory for pieces of code, near an address in the program's text: pieces share pages, and pages
/// that none is in any more go back to the system. Thread-safe.
///
/// fork() leaves memory that is mapped twice shared between the two processes. So the child writes
/// to no area that was there, and takes areas of its own; and the parent never writes again where
/// pieces were that the child may run. What cannot be used again goes with the last piece of its
/// area.
class Arena {
  struct Block;

public:
  /// Room for a piece. Gives it back when it goes; nobody may run it then.
  class Piece {
  public:
    Piece(Piece &&other) noexcept
        : arena_(other.arena_), block_(std::exchange(other.block_, nullptr)), begin_(other.begin_),
          bytes_(other.bytes_), forks_(other.forks_) {}
    Piece &operator=(Piece &&) = delete;
    ~Piece() {
      if (block_)
        arena_.give_back(*this);
    }

    [[nodiscard]] std::byte *code() const;
    /// Where to write what is to be at code(), until it is sealed.
    [[nodiscard]] std::byte *writable() const;
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// All is written, and may be run from now on. False if the system refuses.
    [[nodiscard]] bool seal() const;

  private:
    friend class Arena;
    Piece(Arena &arena, Block &block, std::size_t begin, std::size_t bytes);

    Arena &arena_;
    Block *block_;
    std::size_t begin_; ///< In the block.
    std::size_t bytes_;
    unsigned forks_ = base::forks(); ///< When it was taken.
  };

  explicit Arena(const void *anchor);
  /// All pieces have gone.
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// `alignment`: a power of two, a page at most. Throws std::bad_alloc.
  Piece take(std::size_t bytes, std::size_t alignment);

private:
  struct Block {
    explicit Block(Area memory);
    /// Whether pieces come and go; an area that is mapped once is sealed with its only piece.
    [[nodiscard]] bool is_open() const {
      return area.is_mapped_twice() && generation == base::generation();
    }

    Area area;
    FreeRanges free;
    std::size_t pieces = 0;
    unsigned generation = base::generation(); ///< Of the process that has made it.
  };

  Block &add_block(std::size_t bytes);
  void give_back(const Piece &piece);
  static void empty_pages(const Block &block, const FreeRanges::Range &free, const Piece &piece);

  const void *anchor_;
  base::Mutex mutex_;
  std::list<Block> blocks_; ///< The newest first.
};

} // namespace sartor::runtime

#endif
