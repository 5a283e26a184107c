// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_READ_CACHED_H
#define READ_READ_CACHED_H

#include <cstddef>

#include <ext2fs/ext2fs.h>

namespace files {

struct Slot;

/// Maximum number of bytes that one call reads.
constexpr std::size_t kMostBytes = std::size_t{1} << 30U;

/// Reasons why read_cached() would have to wait. It has had no effect then.
constexpr long kBusy = -10'000;   ///< Another thread holds the lock of the file or the inode.
constexpr long kMissing = -9'999; ///< A block is not in the cache.

/// Passed as the buffer, with kMostBytes, to ask which quasi-invariants the active code depends on:
/// a set of `Fact`.
extern char which_quasi_invariants;

/// Quasi-invariants, as returned for `which_quasi_invariants`.
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
constexpr long kAllQuasiInvariants = 511;

/// A handler: read() of an open file from cached blocks. Moves the offset and returns the number of
/// bytes, 0 at the end; or a negative errno, or one of the above. kMostBytes at most.
long read_cached(Slot *slot, void *to, std::size_t bytes);

/// The library's manager for reading indirect blocks: into a file's KeptBlock, from the cache (the
/// channel's private data). A block that is not cached is an error.
extern struct_io_manager reading_manager;

} // namespace files

#endif
