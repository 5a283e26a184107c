// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_RECORD_LOCKS_H
#define READ_RECORD_LOCKS_H

#include <cstdint>

#include "files.h"

namespace files {

/// Returns whether a part of a file, [begin, end), is locked by a client other than `client`; with
/// `exclusively`, only exclusive locks count. Requires the inode's lock.
bool is_locked_by_others(const Inode &inode, const Client &client, std::uint64_t begin,
                         std::uint64_t end, bool exclusively);

/// Releases the locks of `client` in [begin, end); splits locks that overlap the bounds.
void unlock_records(Inode &inode, const Client &client, std::uint64_t begin, std::uint64_t end);

/// Replaces the client's locks in the range. False if another client's lock conflicts.
bool lock_records(Inode &inode, const Client &client, std::uint64_t begin, std::uint64_t end,
                  bool exclusive);

} // namespace files

#endif
