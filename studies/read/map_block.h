/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef READ_MAP_BLOCK_H
#define READ_MAP_BLOCK_H

#include <ext2fs/ext2fs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a file's block lies on the disk, 0 if nowhere. `buffer`, of a block's size, is where
 *  indirect blocks are read to. */
errcode_t map_block(ext2_filsys library, ext2_ino_t number, struct ext2_inode *inode, char *buffer,
                    blk64_t block, blk64_t *physical);

#ifdef __cplusplus
}
#endif

#endif
