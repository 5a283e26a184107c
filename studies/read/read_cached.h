// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_READ_CACHED_H
#define READ_READ_CACHED_H

#include <cstddef>

#include <ext2fs/ext2fs.h>

namespace files {

struct Slot;

/// More is not read by one call.
constexpr std::size_t kMostBytes = std::size_t{1} << 30U;

/// What read_cached() cannot do, because it would have to wait. It has done nothing then.
constexpr long kBusy = -10'000;   ///< Somebody has the lock of the file or the inode.
constexpr long kMissing = -9'999; ///< A block is not in the cache.

/// In place of what to read to, with kMostBytes: asks which facts the code in force leans on, a set
/// of Fact.
extern char which_facts;

/// Facts, as they are asked for by `which_facts`.
enum Fact : long {
  kOpen = 1,
  kConstants = 2,
  kNoSharingOfOffset = 4,
  kNoSharingOfInode = 8,
  kNoLocks = 16,
  kNoHoles = 32,
  kReadOnly = 64,
  kSequential = 128,
  kNoReplacement = 256,
};
constexpr long kAllFacts = 511;

/// read() of an open file, as far as its blocks are in the cache: moves the offset, and returns how
/// many bytes there were, 0 at the end; or a negative errno, or one of the above. kMostBytes at
/// most. A handler.
long read_cached(Slot *slot, void *to, std::size_t bytes);

/// How the library reads indirect blocks on its behalf: into a file's KeptBlock, from the cache
/// (the channel's private data). What is not cached is an error.
extern struct_io_manager reading_manager;

} // namespace files

#endif
