// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data structures of read(). Watched fields rarely change; the compiler guards stores to them,
// which happen only when a condition becomes true or false.
#ifndef READ_FILES_H
#define READ_FILES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include <ext2fs/ext2fs.h>

#include <sartor/watch.h>

#include "cache.h"
#include "reader.h"

namespace files {

struct Client;

/// A mounted file system.
struct Mount {
  SARTOR_WATCHED Cache *cache = nullptr;
  SARTOR_WATCHED unsigned block_shift = 0; ///< Shift from bytes to blocks.
  SARTOR_WATCHED bool noatime = false;
  /// The library's handle for code that must not wait: it reads cached blocks only.
  SARTOR_WATCHED ext2_filsys reading = nullptr;
  std::uint32_t now = 0; ///< Seconds, as in inodes; updated periodically.
};

/// Part of a file that a client has locked. Other clients may not write there, nor read if the lock
/// is exclusive.
struct RecordLock {
  RecordLock *next = nullptr;
  const Client *owner = nullptr;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool exclusive = false;

  [[nodiscard]] bool overlaps(std::uint64_t from, std::uint64_t to) const {
    return begin < to && from < end;
  }
};

/// A file on the disk, shared by all its open files. Handlers try its lock, and a file's, and never
/// wait: a thread that stores to a watched field waits for handlers and may hold such a lock.
/// Mutable fields are guarded by `lock`, except those about open files, which the service's lock
/// guards.
struct Inode {
  Inode(Mount &of, unsigned its_number, const ext2_inode &its_disk, std::uint64_t its_holes)
      : mount(&of), number(its_number), disk(its_disk), size(EXT2_I_SIZE(&its_disk)),
        sparse(its_holes > 0), holes(its_holes), accessed(its_disk.i_atime) {}

  SARTOR_WATCHED Mount *mount;
  unsigned number;
  SARTOR_WATCHED ext2_inode disk;
  SARTOR_WATCHED std::uint64_t size;
  SARTOR_WATCHED bool shared = false;   ///< `opens` is more than one.
  SARTOR_WATCHED bool writable = false; ///< `writers` is nonzero.
  SARTOR_WATCHED bool sparse;           ///< `holes` is nonzero.
  SARTOR_WATCHED RecordLock *locks = nullptr;
  std::shared_mutex lock;
  unsigned opens = 0;        ///< Number of open files of it, and of calls that use it by path.
  unsigned writers = 0;      ///< Number of those that may write.
  std::uint64_t holes;       ///< Number of blocks within its size that are not on the disk.
  std::uint32_t accessed;    ///< Seconds; several readers may store to it concurrently.
  std::uint64_t changes = 0; ///< Number of changes of its size or of its block addresses.
};

enum Mode : unsigned { kReading = 1, kWriting = 2 };

/// The block in which the last read ended: the state of sequential reading. Code that moves the
/// offset other than by reading must reset `end`.
struct Stream {
  const char *zero = nullptr; ///< The address of offset 0 if the file were contiguous.
  std::uint64_t end = 0;      ///< End offset of the valid part. 0: no block is known.
  std::uint64_t stamp = 0; ///< The sum of `changes` and `evictions` when it was stored; the state
                           ///< is valid while the sum is unchanged.
};

constexpr unsigned kLargestBlock = 4096;

/// The indirect block that the library read last, since it asks for the same one again.
struct KeptBlock {
  unsigned long block = 0;   ///< 0: no block.
  std::uint64_t changes = 0; ///< The inode's `changes` when the block was stored.
  alignas(16) char bytes[kLargestBlock];
};

/// The result of an open(); shared by descriptors that dup() and fork() derive from it. Fields that
/// are not watched are guarded by `lock`.
struct File {
  File(Inode &opened, unsigned how, KeptBlock &block) : inode(&opened), mode(how), kept(&block) {}

  SARTOR_WATCHED Inode *inode;
  SARTOR_WATCHED unsigned mode;
  SARTOR_WATCHED KeptBlock *kept;
  SARTOR_WATCHED bool shared = false;  ///< `references` is more than one.
  SARTOR_WATCHED bool seeking = false; ///< `seeks` keeps increasing.
  unsigned references = 1;             ///< Number of descriptors. Guarded by the service's lock.
  bool settled = false; ///< Quasi-invariants about it may exist. Guarded by the service's lock.
  std::mutex lock;
  std::uint64_t offset = 0;
  std::uint64_t expected = 0; ///< The offset if the next read is sequential.
  unsigned seeks = 0;         ///< Number of changes of the offset other than by reading.
  unsigned run = 0;           ///< Number of consecutive sequential reads, for read-ahead.
  Stream stream;
};

/// An entry of a client's descriptor table.
struct Slot {
  File *file = nullptr; ///< Null: the descriptor is not open.
  /// The same file after it has been open for some time; set and reset with the service's lock.
  SARTOR_WATCHED File *settled = nullptr;
  SARTOR_WATCHED Client *client = nullptr;
  unsigned pins = 0;         ///< Calls in progress that have found `file`, or will find null.
  std::uint64_t opening = 0; ///< A unique number for each file that was stored here.
  std::atomic<const Reader *> reader = nullptr; ///< Specialized code, if there is any.
};

constexpr unsigned kSlots = 32;

/// The owner of descriptors, as a process is: threads that share them. A thread must be counted in
/// before its first call.
struct Client {
  SARTOR_WATCHED bool threaded = false; ///< `threads` is more than one.
  unsigned threads = 1;                 ///< Guarded by the service's lock.
  Slot slots[kSlots];
};

} // namespace files

#endif
