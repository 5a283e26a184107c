/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library's own unmodified source in a handler's file, so that variants can inline it. */
#include "map_block.h"

#include <sartor/points.h>

#include "bmap.c" /* NOLINT(bugprone-suspicious-include) */

SARTOR_HANDLER errcode_t map_block(ext2_filsys library, ext2_ino_t number, struct ext2_inode *inode,
                                   char *buffer, blk64_t block, blk64_t *physical) {
  return ext2fs_bmap2(library, number, inode, buffer, 0, block, NULL, physical);
}
