// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_FILE_SYSTEM_H
#define READ_FILE_SYSTEM_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "block_cache.h"
#include "files.h"

namespace files {

/// An image with an ext2 file system, accessed with libext2fs. Errors are negative errno.
/// Thread-safe, except where stated otherwise.
class FileSystem {
public:
  /// Throws std::runtime_error if it is not ext2, or uses features that are not implemented here.
  FileSystem(const std::filesystem::path &image, std::size_t buffers);
  ~FileSystem(); ///< Writes all dirty blocks.
  FileSystem(const FileSystem &) = delete;
  FileSystem &operator=(const FileSystem &) = delete;

  [[nodiscard]] Mount &mount() { return mount_; }
  [[nodiscard]] BlockCache &cache() { return *cache_; }
  /// The same for code that must not wait; constant, as is everything it points to.
  [[nodiscard]] const struct_ext2_filsys &reading() const { return reading_; }
  [[nodiscard]] const struct_io_channel &reading_channel() const { return channel_; }

  /// The number of the inode at a path, or an error.
  long find(const char *path);
  /// Null if it is not a regular file, or uses features that are not implemented here. The address
  /// is valid as long as this object. Not thread-safe.
  Inode *inode(unsigned number);
  /// Reads any inode from the disk.
  bool look(unsigned number, ext2_inode &disk);
  /// False if `path` is not a directory.
  bool list(const char *path, const std::function<void(const std::string &name)> &report);

  /// Writes to a file; the caller must exclude other readers and writers (Inode::lock).
  long write(Inode &inode, std::uint64_t offset, const char *from, std::size_t bytes);
  long truncate(Inode &inode, std::uint64_t size);
  /// Finds the image's block that holds a file's block; 0 for a hole.
  long block_of(Inode &inode, std::uint64_t block, std::uint64_t &physical);

private:
  long put_block(ext2_inode &disk, const Inode &inode, std::uint64_t offset, const char *from,
                 std::size_t bytes, std::uint64_t &added);
  void update(Inode &inode, const ext2_inode &disk, std::uint64_t size, std::uint64_t holes);
  std::uint64_t count_holes(unsigned number, std::uint64_t size);
  [[nodiscard]] std::uint64_t blocks(std::uint64_t size) const;

  std::unique_ptr<BlockCache> cache_;
  std::mutex mutex_; ///< Guards the library, which is not thread-safe.
  ext2_filsys library_ = nullptr;
  struct_ext2_filsys reading_{};
  struct_io_channel channel_{};
  Mount mount_;
  std::map<unsigned, std::unique_ptr<Inode>> inodes_;
};

} // namespace files

#endif
