// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache_io.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace files {

namespace {

/// Argument for open_channel(), which the library calls with a name only.
thread_local BlockCache *opening = nullptr;
char no_name[] = "";

BlockCache &cache_of(io_channel channel) {
  return *static_cast<BlockCache *>(channel->private_data);
}

errcode_t open_channel(const char *, int, io_channel *channel);

errcode_t close_channel(io_channel channel) {
  const bool written = cache_of(channel).flush();
  const errcode_t error = written ? 0 : errno;
  delete channel;
  return error;
}

errcode_t set_block_size(io_channel channel, int size) {
  channel->block_size = size;
  return 0;
}

/// Calls `copy` for each part of a range that lies in one block of the cache. The library's blocks
/// may be smaller, and a negative count is in bytes.
template <class Copy>
errcode_t each_piece(io_channel channel, unsigned long long block, int count, Copy copy) {
  BlockCache &cache = cache_of(channel);
  std::uint64_t at = block * static_cast<unsigned>(channel->block_size);
  std::size_t left = count < 0 ? static_cast<std::size_t>(-static_cast<long>(count))
                               : static_cast<std::size_t>(count) * channel->block_size;
  while (left > 0) {
    const std::size_t within = at % cache.block_size();
    const std::size_t bytes = std::min(left, cache.block_size() - within);
    Buffer *buffer = cache.get(at / cache.block_size());
    if (!buffer)
      return errno;
    copy(*buffer, within, bytes);
    unpin(*buffer);
    at += bytes;
    left -= bytes;
  }
  return 0;
}

errcode_t read_blocks64(io_channel channel, unsigned long long block, int count, void *data) {
  char *to = static_cast<char *>(data);
  return each_piece(channel, block, count, [&](Buffer &buffer, std::size_t within, std::size_t n) {
    std::memcpy(to, buffer.bytes + within, n);
    to += n;
  });
}

errcode_t write_blocks64(io_channel channel, unsigned long long block, int count,
                         const void *data) {
  const char *from = static_cast<const char *>(data);
  return each_piece(channel, block, count, [&](Buffer &buffer, std::size_t within, std::size_t n) {
    std::memcpy(buffer.bytes + within, from, n);
    __atomic_store_n(&buffer.dirty, true, __ATOMIC_RELEASE);
    from += n;
  });
}

errcode_t read_blocks(io_channel channel, unsigned long block, int count, void *data) {
  return read_blocks64(channel, block, count, data);
}
errcode_t write_blocks(io_channel channel, unsigned long block, int count, const void *data) {
  return write_blocks64(channel, block, count, data);
}

errcode_t flush_channel(io_channel channel) { return cache_of(channel).flush() ? 0 : errno; }

struct_io_manager make_manager() {
  struct_io_manager made{};
  made.magic = EXT2_ET_MAGIC_IO_MANAGER;
  made.name = "block cache";
  made.open = open_channel;
  made.close = close_channel;
  made.set_blksize = set_block_size;
  made.read_blk = read_blocks;
  made.write_blk = write_blocks;
  made.flush = flush_channel;
  made.read_blk64 = read_blocks64;
  made.write_blk64 = write_blocks64;
  return made;
}

struct_io_manager manager = make_manager();

errcode_t open_channel(const char *, int, io_channel *channel) {
  *channel = new struct_io_channel();
  (*channel)->magic = EXT2_ET_MAGIC_IO_CHANNEL;
  (*channel)->manager = &manager;
  (*channel)->name = no_name;
  (*channel)->block_size = 1024;
  (*channel)->refcount = 1;
  (*channel)->private_data = opening;
  return 0;
}

} // namespace

errcode_t open_library(BlockCache &cache, ext2_filsys *library) {
  opening = &cache;
  const errcode_t error = ext2fs_open2("", nullptr, EXT2_FLAG_RW, 0, 0, &manager, library);
  opening = nullptr;
  return error;
}

} // namespace files
