// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that change files. The library changes copies of inodes, so that stores to watched
// fields happen here, where the compiler sees them.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "file_system.h"

namespace files {

namespace {

long as_errno(errcode_t error) {
  switch (error) {
  case EXT2_ET_BLOCK_ALLOC_FAIL:
    return -ENOSPC;
  case EXT2_ET_FILE_TOO_BIG:
    return -EFBIG;
  default:
    return -EIO;
  }
}

} // namespace

long FileSystem::block_of(Inode &inode, std::uint64_t block, std::uint64_t &physical) {
  const std::lock_guard lock(mutex_);
  ext2_inode disk = inode.disk;
  blk64_t found = 0;
  const errcode_t error =
      ext2fs_bmap2(library_, inode.number, &disk, nullptr, 0, block, nullptr, &found);
  physical = found;
  return error == 0 ? 0 : as_errno(error);
}

long FileSystem::put_block(ext2_inode &disk, const Inode &inode, std::uint64_t offset,
                           const char *from, std::size_t bytes, std::uint64_t &added) {
  const std::uint64_t block = offset >> mount_.block_shift;
  blk64_t physical = 0;
  errcode_t error =
      ext2fs_bmap2(library_, inode.number, &disk, nullptr, 0, block, nullptr, &physical);
  const bool is_new = error == 0 && physical == 0;
  if (is_new)
    error =
        ext2fs_bmap2(library_, inode.number, &disk, nullptr, BMAP_ALLOC, block, nullptr, &physical);
  if (error != 0)
    return as_errno(error);
  Buffer *buffer = is_new ? cache_->fresh(physical) : cache_->get(physical);
  if (!buffer)
    return -EIO;
  added += is_new ? 1 : 0;
  std::memcpy(buffer->bytes + offset % cache_->block_size(), from, bytes);
  __atomic_store_n(&buffer->dirty, true, __ATOMIC_RELEASE);
  unpin(*buffer);
  return 0;
}

long FileSystem::write(Inode &inode, std::uint64_t offset, const char *from, std::size_t bytes) {
  ext2_inode disk = inode.disk;
  std::uint64_t added = 0;
  std::size_t done = 0;
  long error = 0;
  const std::lock_guard lock(mutex_);
  while (done < bytes && error == 0) {
    const std::size_t within = (offset + done) % cache_->block_size();
    const std::size_t part = std::min(bytes - done, cache_->block_size() - within);
    error = put_block(disk, inode, offset + done, from + done, part, added);
    done += error == 0 ? part : 0;
  }
  const std::uint64_t size = done > 0 ? std::max(inode.size, offset + done) : inode.size;
  if (size != inode.size)
    ext2fs_inode_size_set(library_, &disk, static_cast<ext2_off64_t>(size));
  if (done > 0)
    disk.i_mtime = mount_.now;
  update(inode, disk, size, inode.holes + blocks(size) - blocks(inode.size) - added);
  return done > 0 || bytes == 0 ? static_cast<long>(done) : error;
}

long FileSystem::truncate(Inode &inode, std::uint64_t size) {
  ext2_inode disk = inode.disk;
  {
    const std::lock_guard lock(mutex_);
    ext2_file_t file = nullptr;
    errcode_t error = ext2fs_file_open2(library_, inode.number, &disk, EXT2_FILE_WRITE, &file);
    if (error == 0) {
      error = ext2fs_file_set_size2(file, static_cast<ext2_off64_t>(size));
      disk = *ext2fs_file_get_inode(file);
      ext2fs_file_close(file);
    }
    if (error != 0)
      return as_errno(error);
    disk.i_mtime = mount_.now;
  }
  const std::uint64_t holes = count_holes(inode.number, size);
  const std::lock_guard lock(mutex_);
  update(inode, disk, size, holes);
  return 0;
}

// Stores only to fields that have changed: each store may deactivate code.
void FileSystem::update(Inode &inode, const ext2_inode &disk, std::uint64_t size,
                        std::uint64_t holes) {
  if (std::memcmp(&inode.disk, &disk, sizeof disk) != 0) {
    ext2_inode written = disk;
    ext2fs_write_inode(library_, inode.number, &written);
    ++inode.changes;
    inode.disk = disk;
  }
  if (inode.size != size)
    inode.size = size;
  inode.holes = holes;
  if (const bool sparse = holes > 0; inode.sparse != sparse)
    inode.sparse = sparse;
}

} // namespace files
