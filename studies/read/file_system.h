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

/// An image with an ext2 file system, by way of libext2fs. Errors are negative errno. Thread-safe,
/// but where it says otherwise.
class FileSystem {
public:
  /// Throws std::runtime_error if it is no ext2, or one with features that are not implemented
  /// here.
  FileSystem(const std::filesystem::path &image, std::size_t buffers);
  ~FileSystem(); ///< Writes all back.
  FileSystem(const FileSystem &) = delete;
  FileSystem &operator=(const FileSystem &) = delete;

  [[nodiscard]] Mount &mount() { return mount_; }
  [[nodiscard]] BlockCache &cache() { return *cache_; }
  /// The same for code that may not wait; constant, like all that it leads to.
  [[nodiscard]] const struct_ext2_filsys &reading() const { return reading_; }
  [[nodiscard]] const struct_io_channel &reading_channel() const { return channel_; }

  /// The number of the inode at a path, or an error.
  long find(const char *path);
  /// Null if it is no regular file, or has features that are not implemented here. Stays where it
  /// is while this lives. One at a time.
  Inode *inode(unsigned number);
  /// What the disk has of any inode.
  bool look(unsigned number, ext2_inode &disk);
  /// False if `path` is no directory.
  bool list(const char *path, const std::function<void(const std::string &name)> &tell);

  /// Of a file that nobody reads or writes meanwhile (Inode::lock).
  long write(Inode &inode, std::uint64_t offset, const char *from, std::size_t bytes);
  long truncate(Inode &inode, std::uint64_t size);
  /// The block of the image with a file's block, 0 if it is a hole.
  long block_of(Inode &inode, std::uint64_t block, std::uint64_t &physical);

private:
  long put_block(ext2_inode &disk, const Inode &inode, std::uint64_t offset, const char *from,
                 std::size_t bytes, std::uint64_t &added);
  void update(Inode &inode, const ext2_inode &disk, std::uint64_t size, std::uint64_t holes);
  std::uint64_t count_holes(unsigned number, std::uint64_t size);
  [[nodiscard]] std::uint64_t blocks(std::uint64_t size) const;

  std::unique_ptr<BlockCache> cache_;
  std::mutex mutex_; ///< Of the library, which is for one thread.
  ext2_filsys library_ = nullptr;
  struct_ext2_filsys reading_{};
  struct_io_channel channel_{};
  Mount mount_;
  std::map<unsigned, std::unique_ptr<Inode>> inodes_;
};

} // namespace files

#endif
