// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What read() looks at. Watched fields usually stay what they are; stores to them are guarded by
// the compiler, and made only when something becomes true or false.
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
  SARTOR_WATCHED unsigned block_shift = 0; ///< Of bytes to blocks.
  SARTOR_WATCHED bool noatime = false;
  /// The library's handle, for code that must not wait: its blocks come from the cache or not at
  /// all.
  SARTOR_WATCHED ext2_filsys reading = nullptr;
  std::uint32_t now = 0; ///< Seconds, as inodes have them; set from time to time.
};

/// Part of a file that a client has locked. Others may not write there, nor, if it is exclusive,
/// read.
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

/// A file on the disk, once for all who have it open. Handlers try its lock, and a file's, and
/// never wait: who stores to a watched field waits for handlers, and may hold one. What may change
/// is under `lock`, but who has it open, which is under the service's.
struct Inode {
  Inode(Mount &of, unsigned its_number, const ext2_inode &its_disk, std::uint64_t its_holes)
      : mount(&of), number(its_number), disk(its_disk), size(EXT2_I_SIZE(&its_disk)),
        sparse(its_holes > 0), holes(its_holes), accessed(its_disk.i_atime) {}

  SARTOR_WATCHED Mount *mount;
  unsigned number;
  SARTOR_WATCHED ext2_inode disk;
  SARTOR_WATCHED std::uint64_t size;
  SARTOR_WATCHED bool shared = false;   ///< There are several `opens`.
  SARTOR_WATCHED bool writable = false; ///< There are `writers`.
  SARTOR_WATCHED bool sparse;           ///< There are `holes`.
  SARTOR_WATCHED RecordLock *locks = nullptr;
  std::shared_mutex lock;
  unsigned opens = 0;        ///< Open files on it, and calls that name it by path.
  unsigned writers = 0;      ///< Those of them that may write.
  std::uint64_t holes;       ///< Blocks within its size that are not on the disk.
  std::uint32_t accessed;    ///< Seconds; readers store to it side by side.
  std::uint64_t changes = 0; ///< Of its size or of where its blocks are.
};

enum Mode : unsigned { kReading = 1, kWriting = 2 };

/// The block in which the last read has ended: what a sequence of reads goes on in. Whoever moves
/// the offset otherwise than by reading resets `end`.
struct Stream {
  const char *zero = nullptr; ///< Where offset 0 would lie, if all of the file lay side by side.
  std::uint64_t end = 0;      ///< Of what is known: an offset. 0: nothing.
  std::uint64_t stamp = 0; ///< What `changes` and `evictions` came to: while they do, it is true.
};

constexpr unsigned kLargestBlock = 4096;

/// The indirect block that the library has looked at last: it asks for the same one again.
struct KeptBlock {
  unsigned long block = 0;   ///< 0: none.
  std::uint64_t changes = 0; ///< The inode's, when it was kept.
  alignas(16) char bytes[kLargestBlock];
};

/// What an open() has made; shared by descriptors that dup() and fork() have made of its. What is
/// not watched is under `lock`.
struct File {
  File(Inode &opened, unsigned how, KeptBlock &block) : inode(&opened), mode(how), kept(&block) {}

  SARTOR_WATCHED Inode *inode;
  SARTOR_WATCHED unsigned mode;
  SARTOR_WATCHED KeptBlock *kept;
  SARTOR_WATCHED bool shared = false;  ///< There are several `references`.
  SARTOR_WATCHED bool seeking = false; ///< `seeks` goes up and up.
  unsigned references = 1;             ///< Descriptors. Under the service's lock.
  bool settled = false;                ///< There may be facts about it. Likewise.
  std::mutex lock;
  std::uint64_t offset = 0;
  std::uint64_t expected = 0; ///< The offset if the next read goes on from the last one.
  unsigned seeks = 0;         ///< How often the offset was set by other than reading.
  unsigned run = 0;           ///< How many reads have gone on so, for reading ahead.
  Stream stream;
};

/// A place in a client's table of descriptors.
struct Slot {
  File *file = nullptr; ///< Null: the descriptor is not open.
  /// The same, once it has been open for a moment: set and reset with the service's lock.
  SARTOR_WATCHED File *settled = nullptr;
  SARTOR_WATCHED Client *client = nullptr;
  unsigned pins = 0;         ///< Calls under way that have found `file` here, or will find null.
  std::uint64_t opening = 0; ///< Another number for each file that was put here.
  std::atomic<const Reader *> reader = nullptr; ///< Specialized code, once there is some.
};

constexpr unsigned kSlots = 32;

/// Who has descriptors, as a process does: threads that use the same ones. A thread more counts
/// itself in before it calls anything.
struct Client {
  SARTOR_WATCHED bool threaded = false; ///< There are several `threads`.
  unsigned threads = 1;                 ///< Under the service's lock.
  Slot slots[kSlots];
};

} // namespace files

#endif
