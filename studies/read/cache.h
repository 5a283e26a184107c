// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_CACHE_H
#define READ_CACHE_H

#include <cstddef>
#include <cstdint>

#include <sartor/watch.h>

#include "lock.h"

namespace files {

/// A block of the image in memory. `block` and `next` change only while nobody can find it.
struct Buffer {
  Buffer *next = nullptr; ///< In its bucket.
  std::uint64_t block = 0;
  char *bytes = nullptr;
  unsigned pins = 0;  ///< While there are any, the buffer keeps its block.
  bool used = false;  ///< Since the hand that looks for a victim has last come by.
  bool dirty = false; ///< To be written back.
};

struct alignas(16) Bucket {
  Buffer *first = nullptr;
  SpinLock lock;
};

/// Blocks by number, as handlers see them. What fills it is BlockCache.
struct Cache {
  SARTOR_WATCHED Bucket *buckets = nullptr;
  SARTOR_WATCHED unsigned bucket_bits = 0;
  /// Not zero while buffers are given to other blocks. Who relies on its being zero, as a fact,
  /// finds buffers without locking buckets and keeps them without pins.
  SARTOR_WATCHED unsigned replacing = 0;
  /// How many blocks have gone so far. Changes only while `replacing` is not zero.
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

/// Pinned; null if the block is not there.
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
