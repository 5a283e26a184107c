// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_CACHE_IO_H
#define READ_CACHE_IO_H

#include <ext2fs/ext2fs.h>

#include "block_cache.h"

namespace files {

/// Opens the file system in the image of `cache` for reading and writing. All the library's I/O
/// goes through the cache, which must outlive the file system.
errcode_t open_library(BlockCache &cache, ext2_filsys *library);

} // namespace files

#endif
