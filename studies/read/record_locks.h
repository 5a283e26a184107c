// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_RECORD_LOCKS_H
#define READ_RECORD_LOCKS_H

#include <cstdint>

#include "files.h"

namespace files {

/// Whether a part of a file, [begin, end), is locked by another than `client`, exclusively if only
/// that matters. With the inode's lock.
bool is_locked_by_others(const Inode &inode, const Client &client, std::uint64_t begin,
                         std::uint64_t end, bool exclusively);

/// Gives up what `client` has locked in [begin, end); of what lies across, the rest stays.
void unlock_records(Inode &inode, const Client &client, std::uint64_t begin, std::uint64_t end);

/// In place of what the client has locked there. False if another's lock is in the way.
bool lock_records(Inode &inode, const Client &client, std::uint64_t begin, std::uint64_t end,
                  bool exclusive);

} // namespace files

#endif
