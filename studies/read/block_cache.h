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

/// Fills a Cache with blocks of an image, and writes back what is dirty. Thread-safe; not to be
/// called within handlers, as it waits for the disk and, before it gives a buffer to another block,
/// for those who rely on `replacing`.
class BlockCache {
public:
  static constexpr std::size_t kFewest = 256;

  /// Owns `image`, a file descriptor. Has kFewest buffers at least.
  BlockCache(int image, std::size_t block_size, std::size_t buffers);
  ~BlockCache(); ///< Does not write back.
  BlockCache(const BlockCache &) = delete;
  BlockCache &operator=(const BlockCache &) = delete;

  [[nodiscard]] Cache &shared() { return cache_; }
  [[nodiscard]] std::size_t block_size() const { return block_size_; }

  /// The block's buffer, pinned. Null, and errno, if it cannot be read, or a victim not be written.
  Buffer *get(std::uint64_t block);
  /// The same of a block whose content does not matter: all zeroes.
  Buffer *fresh(std::uint64_t block);
  /// Has all these blocks in the cache, kFewest / 2 at most, where they stay while the lock is
  /// held. False, and errno, if that cannot be.
  bool bring_in(std::span<const std::uint64_t> blocks, std::unique_lock<std::mutex> &lock);
  /// Writes all that is dirty. False, and errno, if it cannot.
  bool flush();

private:
  Buffer *find(std::uint64_t block);
  Buffer *add(std::uint64_t block, bool read);
  Buffer *take();
  bool evict(Buffer &buffer);
  bool write_back(Buffer &buffer);

  const int image_;
  const std::size_t block_size_;
  std::mutex mutex_; ///< Held by whoever adds or removes blocks.
  std::vector<Buffer> buffers_;
  std::unique_ptr<char, void (*)(void *)> bytes_;
  std::unique_ptr<Bucket[]> buckets_;
  std::size_t unused_ = 0; ///< The first buffer that has had no block yet.
  std::size_t hand_ = 0;   ///< Goes round in search of one that has not been used.
  Cache cache_;
};

} // namespace files

#endif
