/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef READ_MAP_BLOCK_H
#define READ_MAP_BLOCK_H

#include <ext2fs/ext2fs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Finds the disk block of a file's block; 0 for a hole. `buffer`, of a block's size, receives
 * indirect blocks. */
errcode_t map_block(ext2_filsys library, ext2_ino_t number, struct ext2_inode *inode, char *buffer,
                    blk64_t block, blk64_t *physical);

#ifdef __cplusplus
}
#endif

#endif
