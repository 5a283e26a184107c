// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_cached.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <sartor/points.h>

#include "copy.h"
#include "files.h"
#include "map_block.h"

namespace files {

char which_quasi_invariants = 0;

namespace {

/// Returns whether a condition is valid as a quasi-invariant that the active code depends on: then
/// a writer that would violate it waits until no call is in that code. A condition that is true by
/// chance does not suffice, and native code depends on no quasi-invariants.
[[gnu::always_inline]] inline bool valid(bool condition) {
  return __builtin_constant_p(condition) && condition;
}

/// The steps that a call may omit because of valid quasi-invariants.
struct Without {
  bool offset_lock; ///< No other thread moves the offset or closes the descriptor.
  bool inode_lock;  ///< No other thread reads or writes the file.
  bool pins;        ///< Buffers keep their blocks.
  bool look_up;     ///< As long as a read ends within the block in which the last one ended.
};

[[gnu::always_inline]] inline Without what_is_needless(const Slot &slot) {
  if (!valid(slot.settled != nullptr))
    return {};
  const File &file = *slot.settled;
  const Inode &inode = *file.inode;
  const bool alone = valid(!slot.client->threaded) && valid(!file.shared);
  const bool unshared = alone && valid(!inode.shared);
  const bool keeps = valid(inode.mount->cache->replacing == 0);
  return {.offset_lock = alone,
          .inode_lock = unshared,
          .pins = keeps,
          .look_up = unshared && keeps && valid(!file.seeking)};
}

[[gnu::always_inline]] inline long quasi_invariants(const Slot &slot) {
  if (!valid(slot.settled != nullptr))
    return 0;
  const File &file = *slot.settled;
  const Inode &inode = *file.inode;
  const Cache &cache = *inode.mount->cache;
  return kOpen | (__builtin_constant_p(cache.bucket_bits) ? kConstants : 0) |
         (valid(!slot.client->threaded) && valid(!file.shared) ? kNoSharingOfOffset : 0) |
         (valid(!inode.shared) ? kNoSharingOfInode : 0) |
         (valid(inode.locks == nullptr) ? kNoLocks : 0) | (valid(!inode.sparse) ? kNoHoles : 0) |
         (valid(!inode.writable) ? kReadOnly : 0) | (valid(!file.seeking) ? kSequential : 0) |
         (valid(cache.replacing == 0) ? kNoReplacement : 0);
}

[[gnu::always_inline]] inline void note_access(Inode &inode) {
  const Mount &mount = *inode.mount;
  if (valid(mount.noatime) ||
      (!valid(!mount.noatime) && __atomic_load_n(&mount.noatime, __ATOMIC_RELAXED)))
    return;
  const std::uint32_t now = __atomic_load_n(&mount.now, __ATOMIC_RELAXED);
  if (__atomic_load_n(&inode.accessed, __ATOMIC_RELAXED) != now)
    __atomic_store_n(&inode.accessed, now, __ATOMIC_RELAXED);
}

inline bool is_locked(const Slot &slot, const Inode &inode, std::uint64_t from, std::uint64_t to) {
  for (const RecordLock *lock = inode.locks; lock; lock = lock->next)
    if (lock->exclusive && lock->owner != slot.client && lock->overlaps(from, to))
      return true;
  return false;
}

inline std::uint64_t stamp(const Inode &inode) {
  return inode.changes + inode.mount->cache->evictions;
}

/// Copies from a cached block; returns the end position in it, or null if it is not cached.
[[gnu::always_inline]] inline const char *copy_block(const Cache &cache, Without without,
                                                     std::uint64_t block, std::size_t within,
                                                     char *to, std::size_t bytes) {
  Buffer *buffer = without.pins ? find_in(cache.bucket(block), block) : find_and_pin(cache, block);
  if (!buffer)
    return nullptr;
  note_use(*buffer);
  __builtin_prefetch(&cache.bucket(block + 1)); // usually the file's next block
  const char *from = buffer->bytes + within;
  copy(to, from, bytes);
  if (!without.pins)
    unpin(*buffer);
  return from + bytes;
}

// Reads an indirect block for the library, unless its buffer still holds that block.
errcode_t read_kept(io_channel channel, unsigned long block, int, void *data) {
  auto *kept =
      reinterpret_cast<KeptBlock *>(static_cast<char *>(data) - offsetof(KeptBlock, bytes));
  if (kept->block == block)
    return 0;
  Buffer *buffer = find_and_pin(*static_cast<const Cache *>(channel->private_data), block);
  if (!buffer)
    return EXT2_ET_SHORT_READ;
  note_use(*buffer);
  std::memcpy(kept->bytes, buffer->bytes, static_cast<std::size_t>(channel->block_size));
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

/// The caller holds all necessary locks.
[[gnu::always_inline]] inline long copy_blocks(File &file, Inode &inode, Without without, char *to,
                                               std::size_t bytes) {
  const Mount &mount = *inode.mount;
  const std::size_t block_size = std::size_t{1} << mount.block_shift;
  std::uint64_t offset = file.offset;
  if (offset >= inode.size || bytes == 0)
    return 0;
  bytes = std::min(bytes, inode.size - offset);
  KeptBlock &kept = *file.kept;
  if (kept.changes != inode.changes) {
    kept.block = 0;
    kept.changes = inode.changes;
  }
  file.stream.end = 0;
  const char *end = nullptr; // of the copied data
  std::size_t left = bytes;
  do {
    const std::size_t within = offset & (block_size - 1);
    const std::size_t part = std::min(left, block_size - within);
    blk64_t block = 0;
    if (map_block(mount.reading, inode.number, &inode.disk, kept.bytes, offset >> mount.block_shift,
                  &block) != 0)
      return kMissing;
    if (!valid(!inode.sparse) && block == 0) {
      std::memset(to, 0, part);
      end = nullptr;
    } else {
      end = copy_block(*mount.cache, without, block, within, to, part);
      if (!end)
        return kMissing;
    }
    to += part;
    offset += part;
    left -= part;
  } while (left > 0);
  if (without.look_up) {
    if (end)
      file.stream = {end - offset, std::min((offset + block_size - 1) & -block_size, inode.size),
                     stamp(inode)};
  } else {
    file.run = file.offset == file.expected ? file.run + 1 : 0;
    file.expected = offset;
  }
  file.offset = offset;
  note_access(inode);
  return static_cast<long>(bytes);
}

[[gnu::always_inline]] inline long read_inode(const Slot &slot, File &file, Without without,
                                              char *to, std::size_t bytes) {
  Inode &inode = *file.inode;
  if (!without.inode_lock && !inode.lock.try_lock_shared())
    return kBusy;
  const long got = inode.locks && is_locked(slot, inode, file.offset, file.offset + bytes)
                       ? -EAGAIN
                       : copy_blocks(file, inode, without, to, bytes);
  if (!without.inode_lock)
    inode.lock.unlock_shared();
  return got;
}

[[gnu::always_inline]] inline long read_file(const Slot &slot, File &file, Without without,
                                             char *to, std::size_t bytes) {
  if ((file.mode & kReading) == 0)
    return -EBADF;
  if (!without.offset_lock && !file.lock.try_lock())
    return kBusy;
  const long got = read_inode(slot, file, without, to, bytes);
  if (!without.offset_lock)
    file.lock.unlock();
  return got;
}

} // namespace

struct_io_manager reading_manager = make_manager();

SARTOR_HANDLER long read_cached(Slot *slot, void *to, std::size_t bytes) {
  const Without without = what_is_needless(*slot);
  if (without.look_up && valid(slot->settled->inode->locks == nullptr) &&
      valid((slot->settled->mode & kReading) != 0)) {
    File &file = *slot->settled;
    const Stream &stream = file.stream;
    const std::uint64_t offset = file.offset;
    if (offset + bytes <= stream.end && stream.stamp == stamp(*file.inode)) {
      copy(static_cast<char *>(to), stream.zero + offset, bytes);
      file.offset = offset + bytes;
      note_access(*file.inode);
      return static_cast<long>(bytes);
    }
  }
  if (to == &which_quasi_invariants)
    return quasi_invariants(*slot);
  if (without.offset_lock)
    return read_file(*slot, *slot->settled, without, static_cast<char *>(to), bytes);
  __atomic_fetch_add(&slot->pins, 1, __ATOMIC_SEQ_CST);
  File *file = __atomic_load_n(&slot->file, __ATOMIC_SEQ_CST);
  const long got = file ? read_file(*slot, *file, without, static_cast<char *>(to), bytes) : -EBADF;
  __atomic_fetch_sub(&slot->pins, 1, __ATOMIC_RELEASE);
  return got;
}

} // namespace files
