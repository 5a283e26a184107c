// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_BLOCK_CACHE_H
#define READ_BLOCK_CACHE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "cache.h"

namespace files {

/// Fills a Cache with blocks of an image, and writes dirty ones back. Thread-safe. Must not be
/// called within handlers: it waits for the disk and, before it assigns a buffer to another block,
/// for code that depends on `replacing`.
class BlockCache {
public:
  static constexpr std::size_t kFewest = 256;

  /// Takes ownership of `image`, a file descriptor. Has at least kFewest buffers.
  BlockCache(int image, std::size_t block_size, std::size_t buffers);
  ~BlockCache(); ///< Does not write back.
  BlockCache(const BlockCache &) = delete;
  BlockCache &operator=(const BlockCache &) = delete;

  [[nodiscard]] Cache &shared() { return cache_; }
  [[nodiscard]] std::size_t block_size() const { return block_size_; }

  /// The block's buffer, pinned. Null with errno if the block cannot be read, or a victim cannot be
  /// written.
  Buffer *get(std::uint64_t block);
  /// As get(), for a block whose old content is not needed: filled with zeroes.
  Buffer *fresh(std::uint64_t block);
  /// Loads all these blocks, at most kFewest / 2; they stay cached while the lock is held. False
  /// with errno on failure.
  bool bring_in(std::span<const std::uint64_t> blocks, std::unique_lock<std::mutex> &lock);
  /// Writes all dirty blocks. False with errno on failure.
  bool flush();

private:
  Buffer *find(std::uint64_t block);
  Buffer *add(std::uint64_t block, bool read);
  Buffer *take();
  bool evict(Buffer &buffer);
  bool write_back(Buffer &buffer);

  const int image_;
  const std::size_t block_size_;
  std::mutex mutex_; ///< Held while blocks are added or removed.
  std::vector<Buffer> buffers_;
  std::unique_ptr<char, void (*)(void *)> bytes_;
  std::unique_ptr<Bucket[]> buckets_;
  std::size_t unused_ = 0; ///< The first buffer that has never had a block.
  std::size_t hand_ = 0;   ///< The clock hand of the search for a victim.
  Cache cache_;
};

} // namespace files

#endif
