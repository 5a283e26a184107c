// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_READING_IO_H
#define READ_READING_IO_H

#include <ext2fs/ext2fs.h>

namespace files {

/// How the library reads indirect blocks on behalf of read_cached(): into a file's KeptBlock, from
/// the cache (the channel's private data). What is not cached is an error, as is all else.
extern struct_io_manager reading_manager;

} // namespace files

#endif
