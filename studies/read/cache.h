// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_CACHE_H
#define READ_CACHE_H

#include <cstddef>
#include <cstdint>

#include <sartor/watch.h>

#include "lock.h"

namespace files {

/// A block of the image in memory. `block` and `next` change only while no thread can find the
/// buffer.
struct Buffer {
  Buffer *next = nullptr; ///< The next one in its bucket.
  std::uint64_t block = 0;
  char *bytes = nullptr;
  unsigned pins = 0;  ///< While positive, the buffer keeps its block.
  bool used = false;  ///< True if it was used since the clock hand last passed.
  bool dirty = false; ///< Must be written back.
};

struct alignas(16) Bucket {
  Buffer *first = nullptr;
  SpinLock lock;
};

/// Blocks by number, as handlers see them. BlockCache fills it.
struct Cache {
  SARTOR_WATCHED Bucket *buckets = nullptr;
  SARTOR_WATCHED unsigned bucket_bits = 0;
  /// Nonzero while buffers are assigned to other blocks. Code that depends on its being zero, as a
  /// quasi-invariant, finds buffers without locking buckets and keeps them without pins.
  SARTOR_WATCHED unsigned replacing = 0;
  /// The number of evictions so far. Changes only while `replacing` is nonzero.
  std::uint64_t evictions = 0;

  [[nodiscard]] Bucket &bucket(std::uint64_t block) const {
    return buckets[block * 0x9E37'79B9'7F4A'7C15 >> (64 - bucket_bits)];
  }
};

inline Buffer *find_in(const Bucket &bucket, std::uint64_t block) {
  Buffer *buffer = __atomic_load_n(&bucket.first, __ATOMIC_ACQUIRE);
  while (buffer && buffer->block != block)
    buffer = buffer->next;
  return buffer;
}

inline void note_use(Buffer &buffer) {
  if (!__atomic_load_n(&buffer.used, __ATOMIC_RELAXED))
    __atomic_store_n(&buffer.used, true, __ATOMIC_RELAXED);
}

inline void unpin(Buffer &buffer) { __atomic_fetch_sub(&buffer.pins, 1, __ATOMIC_RELEASE); }

/// Returns the buffer pinned; null if the block is not cached.
inline Buffer *find_and_pin(const Cache &cache, std::uint64_t block) {
  Bucket &bucket = cache.bucket(block);
  bucket.lock.lock();
  Buffer *buffer = find_in(bucket, block);
  if (buffer)
    __atomic_fetch_add(&buffer->pins, 1, __ATOMIC_ACQUIRE);
  bucket.lock.unlock();
  return buffer;
}

} // namespace files

#endif
