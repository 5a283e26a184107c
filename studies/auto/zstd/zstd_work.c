// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file compress|decompress LEVEL BLOCK FILE: one unit is a file by zstd's library, in memory, in
/// blocks of so many bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "../work.h"

static int compresses;
static int level;
static size_t block;
static char *text;
static size_t text_size;
static char *packed;
static size_t packed_size;
static size_t *sizes; ///< Of the compressed blocks.
static char *unpacked;
static ZSTD_CCtx *compression;
static ZSTD_DCtx *decompression;

static size_t checked(size_t size) {
  if (!ZSTD_isError(size))
    return size;
  fprintf(stderr, "zstd: %s\n", ZSTD_getErrorName(size));
  exit(1);
}

static size_t size_of_block(size_t begin) {
  return text_size - begin < block ? text_size - begin : block;
}

static void compress(void) {
  const size_t room = ZSTD_compressBound(block);
  packed_size = 0;
  for (size_t begin = 0; begin < text_size; begin += block) {
    const size_t size = checked(ZSTD_compressCCtx(compression, packed + packed_size, room,
                                                  text + begin, size_of_block(begin), level));
    sizes[begin / block] = size;
    packed_size += size;
  }
}

static void decompress(void) {
  const char *from = packed;
  for (size_t begin = 0; begin < text_size; begin += block) {
    const size_t size = sizes[begin / block];
    checked(ZSTD_decompressDCtx(decompression, unpacked + begin, size_of_block(begin), from, size));
    from += size;
  }
}

static int read_text(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0 || ftell(file) <= 0)
    return 0;
  text_size = (size_t)ftell(file);
  rewind(file);
  text = malloc(text_size);
  const int is_read = text && fread(text, 1, text_size, file) == text_size;
  fclose(file);
  return is_read;
}

int work_begin(int count, char **words) {
  if (count != 4 || !read_text(words[3]))
    return 0;
  compresses = strcmp(words[0], "compress") == 0;
  level = atoi(words[1]);
  block = strtoul(words[2], NULL, 10);
  if (block == 0 || block > text_size)
    block = text_size;
  const size_t blocks = (text_size + block - 1) / block;
  sizes = calloc(blocks, sizeof *sizes);
  packed = malloc(blocks * ZSTD_compressBound(block));
  unpacked = malloc(text_size);
  compression = ZSTD_createCCtx();
  decompression = ZSTD_createDCtx();
  if (!sizes || !packed || !unpacked || !compression || !decompression)
    return 0;
  compress();
  return 1;
}

void work_run(void) {
  if (compresses)
    compress();
  else
    decompress();
}

void work_sum(struct sum *sum) {
  work_run();
  if (compresses)
    add_bytes(sum, packed, packed_size);
  else
    add_bytes(sum, unpacked, text_size);
  sum->value += (double)packed_size;
}
