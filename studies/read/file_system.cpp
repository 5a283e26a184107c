// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file_system.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include "cache_io.h"
#include "read_cached.h"

namespace files {

namespace {

/// Offset of the first superblock for any block size.
constexpr off_t kSuperblock = 1024;
constexpr std::uint32_t kFeatures = EXT2_FEATURE_INCOMPAT_FILETYPE;
constexpr std::uint32_t kOtherInodes = EXT4_EXTENTS_FL | EXT4_INLINE_DATA_FL;

std::runtime_error cannot_mount(const std::filesystem::path &image, const std::string &why) {
  return std::runtime_error(image.string() + " cannot be mounted: " + why);
}

std::unique_ptr<BlockCache> open_cache(const std::filesystem::path &image, std::size_t buffers) {
  const int file = open(image.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    throw cannot_mount(image, std::strerror(errno));
  ext2_super_block super;
  std::string why;
  if (pread(file, &super, sizeof super, kSuperblock) != sizeof super ||
      super.s_magic != EXT2_SUPER_MAGIC)
    why = "it holds no ext2 file system";
  else if ((super.s_feature_incompat & ~kFeatures) != 0)
    why = "only the features of ext2 are implemented here (mke2fs -t ext2)";
  else if (static_cast<unsigned>(EXT2_BLOCK_SIZE(&super)) > kLargestBlock)
    why = "its blocks are too large";
  if (!why.empty()) {
    close(file);
    throw cannot_mount(image, why);
  }
  return std::make_unique<BlockCache>(file, EXT2_BLOCK_SIZE(&super), buffers);
}

} // namespace

FileSystem::FileSystem(const std::filesystem::path &image, std::size_t buffers)
    : cache_(open_cache(image, buffers)) {
  errcode_t error = open_library(*cache_, &library_);
  if (error == 0)
    error = ext2fs_read_bitmaps(library_);
  if (error != 0) {
    if (library_)
      ext2fs_free(library_);
    throw cannot_mount(image, error_message(error));
  }
  channel_ = *library_->io;
  channel_.manager = &reading_manager;
  channel_.private_data = &cache_->shared();
  reading_ = *library_;
  reading_.io = &channel_;
  mount_.cache = &cache_->shared();
  mount_.block_shift = static_cast<unsigned>(std::countr_zero(cache_->block_size()));
  mount_.reading = &reading_;
}

FileSystem::~FileSystem() {
  for (const auto &[number, inode] : inodes_) {
    if (inode->disk.i_atime == inode->accessed)
      continue;
    ext2_inode disk = inode->disk;
    disk.i_atime = inode->accessed;
    ext2fs_write_inode(library_, number, &disk);
  }
  library_->now = mount_.now;
  ext2fs_close_free(&library_);
}

long FileSystem::find(const char *path) {
  const std::lock_guard lock(mutex_);
  ext2_ino_t number = 0;
  const errcode_t error = ext2fs_namei(library_, EXT2_ROOT_INO, EXT2_ROOT_INO, path, &number);
  if (error == EXT2_ET_FILE_NOT_FOUND)
    return -ENOENT;
  if (error == EXT2_ET_NO_DIRECTORY)
    return -ENOTDIR;
  return error == 0 ? static_cast<long>(number) : -EIO;
}

Inode *FileSystem::inode(unsigned number) {
  if (const auto known = inodes_.find(number); known != inodes_.end())
    return known->second.get();
  ext2_inode disk;
  if (!look(number, disk) || !LINUX_S_ISREG(disk.i_mode) || (disk.i_flags & kOtherInodes) != 0)
    return nullptr;
  auto inode =
      std::make_unique<Inode>(mount_, number, disk, count_holes(number, EXT2_I_SIZE(&disk)));
  return inodes_.emplace(number, std::move(inode)).first->second.get();
}

bool FileSystem::look(unsigned number, ext2_inode &disk) {
  const std::lock_guard lock(mutex_);
  return ext2fs_read_inode(library_, number, &disk) == 0;
}

bool FileSystem::list(const char *path,
                      const std::function<void(const std::string &name)> &report) {
  const long number = find(path);
  const std::lock_guard lock(mutex_);
  if (number < 0 || ext2fs_check_directory(library_, static_cast<ext2_ino_t>(number)) != 0)
    return false;
  const auto entry = [](ext2_dir_entry *found, int, int, char *, void *to) {
    (*static_cast<decltype(&report)>(to))(
        std::string(found->name, static_cast<std::size_t>(ext2fs_dirent_name_len(found))));
    return 0;
  };
  return ext2fs_dir_iterate(library_, static_cast<ext2_ino_t>(number), 0, nullptr, entry,
                            const_cast<void *>(static_cast<const void *>(&report))) == 0;
}

std::uint64_t FileSystem::blocks(std::uint64_t size) const {
  return (size + cache_->block_size() - 1) >> mount_.block_shift;
}

std::uint64_t FileSystem::count_holes(unsigned number, std::uint64_t size) {
  const auto count = [](ext2_filsys, blk64_t *, e2_blkcnt_t, blk64_t, int, void *counted) {
    ++*static_cast<std::uint64_t *>(counted);
    return 0;
  };
  const std::lock_guard lock(mutex_);
  std::uint64_t found = 0;
  ext2fs_block_iterate3(library_, number, BLOCK_FLAG_DATA_ONLY | BLOCK_FLAG_READ_ONLY, nullptr,
                        count, &found);
  return blocks(size) - std::min(found, blocks(size));
}

} // namespace files
