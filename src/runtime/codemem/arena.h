// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_ARENA_H
#define SARTOR_RUNTIME_CODEMEM_ARENA_H

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "base/life.h"
#include "base/thread/mutex.h"
#include "runtime/codemem/area.h"
#include "runtime/codemem/free_ranges.h"

namespace sartor::runtime {

/// Memory for pieces of code, near an address in the program's text. Pieces share pages; pages
/// without a piece go back to the system. Thread-safe.
///
/// fork() leaves memory that is mapped twice shared between the two processes. So the child does
/// not write to areas of the parent, and uses areas of its own; the parent never again writes where
/// there were pieces that the child may run. Memory that cannot be used again is unmapped with the
/// last piece of its area.
class Arena {
  struct Block;

public:
  /// Memory for one piece. The destructor releases it; no thread may run its code then.
  class Piece {
  public:
    Piece(Piece &&other) noexcept
        : arena_(other.arena_), block_(std::exchange(other.block_, nullptr)), begin_(other.begin_),
          bytes_(other.bytes_), forks_(other.forks_), content_(std::move(other.content_)) {}
    Piece &operator=(Piece &&) = delete;
    ~Piece() {
      if (block_)
        arena_.release(*this);
    }

    [[nodiscard]] std::byte *code() const;
    /// Where the content of code() is written, until it is sealed.
    [[nodiscard]] std::byte *writable() const;
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Makes the written code executable from now on. Returns false if the system refuses.
    [[nodiscard]] bool seal();

  private:
    friend class Arena;
    Piece(Arena &arena, Block &block, std::size_t begin, std::size_t bytes,
          std::unique_ptr<std::byte[]> content);

    Arena &arena_;
    Block *block_;
    std::size_t begin_; ///< The offset in the block.
    std::size_t bytes_;
    unsigned forks_ = base::forks();       ///< The value when the piece was taken.
    std::unique_ptr<std::byte[]> content_; ///< Until it is written to a private area.
  };

  explicit Arena(const void *anchor);
  /// All pieces must have been destroyed.
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Takes memory for a piece. `alignment` is a power of two, at most a page. Throws
  /// std::bad_alloc.
  Piece take(std::size_t bytes, std::size_t alignment);

private:
  struct Block {
    explicit Block(Area memory);
    /// True if pieces can be taken and released; an area that is mapped once is sealed with its
    /// only piece.
    [[nodiscard]] bool is_open() const {
      return (area.is_mapped_twice() || area.is_private()) && generation == base::generation();
    }

    Area area;
    FreeRanges free;
    /// Released code in a private area that has not been overwritten yet.
    std::vector<FreeRanges::Range> stale;
    std::size_t pieces = 0;
    unsigned generation = base::generation(); ///< The process that has created the block.
  };

  Block &add_block(std::size_t bytes, bool can_be_private);
  void release(const Piece &piece) noexcept;
  static void fill_with_traps(Block &block);
  /// Returns to the system those of the piece's pages that contain no piece any more, and returns
  /// their offsets.
  static FreeRanges::Range empty_pages(const Block &block, const FreeRanges::Range &free,
                                       const Piece &piece);

  const void *anchor_;
  base::Mutex mutex_;
  std::list<Block> blocks_; ///< The newest first.
};

} // namespace sartor::runtime

#endif
