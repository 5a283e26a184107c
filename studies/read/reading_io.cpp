// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reading_io.h"

#include <cstddef>
#include <cstring>

#include "files.h"

namespace files {

namespace {

// The library asks for the same block each time, and is given it where it has left it.
errcode_t read_kept(io_channel channel, unsigned long block, int, void *data) {
  auto *kept = reinterpret_cast<KeptBlock *>(static_cast<char *>(data) - offsetof(KeptBlock, bytes));
  if (kept->block == block)
    return 0;
  const auto &cache = *static_cast<const Cache *>(channel->private_data);
  Buffer *buffer = find_and_pin(cache, block);
  if (!buffer)
    return EXT2_ET_SHORT_READ;
  note_use(*buffer);
  std::memcpy(kept->bytes, buffer->bytes, channel->block_size);
  unpin(*buffer);
  kept->block = block;
  return 0;
}

struct_io_manager make_manager() {
  struct_io_manager made{};
  made.magic = EXT2_ET_MAGIC_IO_MANAGER;
  made.name = "cached blocks";
  made.read_blk = read_kept;
  return made;
}

} // namespace

struct_io_manager reading_manager = make_manager();

} // namespace files
