// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "block_cache.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include <unistd.h>

namespace files {

namespace {

/// Blocks are page-aligned as in a kernel. Copies between certain offsets in a page are slow.
constexpr std::size_t kPage = 4096;

} // namespace

BlockCache::BlockCache(int image, std::size_t block_size, std::size_t buffers)
    : image_(image), block_size_(block_size), buffers_(std::max(buffers, kFewest)),
      bytes_(static_cast<char *>(std::aligned_alloc(kPage, buffers_.size() * block_size)),
             &std::free) {
  if (!bytes_)
    throw std::bad_alloc();
  const std::size_t buckets = std::bit_ceil(2 * buffers_.size());
  buckets_ = std::make_unique<Bucket[]>(buckets);
  cache_.buckets = buckets_.get();
  cache_.bucket_bits = static_cast<unsigned>(std::bit_width(buckets) - 1);
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    buffers_[i].bytes = bytes_.get() + i * block_size;
}

BlockCache::~BlockCache() { close(image_); }

Buffer *BlockCache::get(std::uint64_t block) {
  if (Buffer *buffer = find_and_pin(cache_, block))
    return buffer;
  const std::lock_guard lock(mutex_);
  Buffer *buffer = find(block);
  if (!buffer)
    buffer = add(block, /*read=*/true);
  if (buffer)
    __atomic_fetch_add(&buffer->pins, 1, __ATOMIC_ACQUIRE);
  return buffer;
}

Buffer *BlockCache::fresh(std::uint64_t block) {
  const std::lock_guard lock(mutex_);
  Buffer *buffer = find(block);
  if (buffer)
    std::memset(buffer->bytes, 0, block_size_);
  else
    buffer = add(block, /*read=*/false);
  if (buffer)
    __atomic_fetch_add(&buffer->pins, 1, __ATOMIC_ACQUIRE);
  return buffer;
}

bool BlockCache::bring_in(std::span<const std::uint64_t> blocks,
                          std::unique_lock<std::mutex> &lock) {
  lock = std::unique_lock(mutex_);
  // Pins blocks that are cached already, so that loading the others does not evict them.
  for (const std::uint64_t block : blocks)
    if (Buffer *buffer = find(block))
      note_use(*buffer);
  return std::ranges::all_of(
      blocks, [&](std::uint64_t block) { return find(block) || add(block, /*read=*/true); });
}

bool BlockCache::flush() {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(buffers_, [&](Buffer &buffer) { return write_back(buffer); });
}

// Requires the mutex, as all functions below. No other thread removes blocks meanwhile.
Buffer *BlockCache::find(std::uint64_t block) { return find_in(cache_.bucket(block), block); }

Buffer *BlockCache::add(std::uint64_t block, bool read) {
  Buffer *buffer = take();
  if (!buffer)
    return nullptr;
  buffer->block = block;
  buffer->used = true;
  if (!read) {
    std::memset(buffer->bytes, 0, block_size_);
  } else {
    const auto offset = static_cast<off_t>(block * block_size_);
    const ssize_t got = pread(image_, buffer->bytes, block_size_, offset);
    if (got != static_cast<ssize_t>(block_size_)) {
      errno = got < 0 ? errno : EIO;
      buffer->used = false;
      return nullptr; // the hand finds it again, since it is in no bucket
    }
  }
  Bucket &bucket = cache_.bucket(block);
  const std::lock_guard lock(bucket.lock);
  buffer->next = bucket.first;
  __atomic_store_n(&bucket.first, buffer, __ATOMIC_RELEASE);
  return buffer;
}

Buffer *BlockCache::take() {
  if (unused_ < buffers_.size())
    return &buffers_[unused_++];
  for (;;) {
    Buffer &buffer = buffers_[hand_];
    hand_ = (hand_ + 1) % buffers_.size();
    if (__atomic_exchange_n(&buffer.used, false, __ATOMIC_RELAXED))
      continue;
    if (__atomic_load_n(&buffer.pins, __ATOMIC_ACQUIRE) != 0)
      sched_yield(); // a few are pinned, for a short time
    else if (!write_back(buffer))
      return nullptr;
    else if (evict(buffer))
      return &buffer;
  }
}

// False if another thread has pinned it meanwhile.
bool BlockCache::evict(Buffer &buffer) {
  Bucket &bucket = cache_.bucket(buffer.block);
  ++cache_.replacing; // waits for readers that do not pin
  bucket.lock.lock();
  const bool is_free = buffer.pins == 0;
  if (is_free) {
    Buffer **link = &bucket.first;
    while (*link && *link != &buffer)
      link = &(*link)->next;
    if (*link)
      __atomic_store_n(link, buffer.next, __ATOMIC_RELEASE);
    ++cache_.evictions;
  }
  bucket.lock.unlock();
  --cache_.replacing;
  return is_free;
}

bool BlockCache::write_back(Buffer &buffer) {
  if (!__atomic_exchange_n(&buffer.dirty, false, __ATOMIC_ACQUIRE))
    return true;
  const auto offset = static_cast<off_t>(buffer.block * block_size_);
  const ssize_t written = pwrite(image_, buffer.bytes, block_size_, offset);
  if (written == static_cast<ssize_t>(block_size_))
    return true;
  errno = written < 0 ? errno : EIO;
  __atomic_store_n(&buffer.dirty, true, __ATOMIC_RELAXED);
  return false;
}

} // namespace files
