/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images as core::pack_image() has them (core/image/image.h), read and placed in C. */
#ifndef SARTOR_DEVICE_IMAGE_H
#define SARTOR_DEVICE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* An image, taken apart: points into its bytes. What was read is within bounds. */
struct sartor_image {
  const unsigned char *name; /* Of its function, not terminated. */
  size_t name_size;
  const unsigned char *code;
  size_t code_size;
  size_t alignment; /* Of the code: a power of two, a page at most. */
  size_t entry;     /* Where it is entered, in the code. */
  const unsigned char *symbols;
  size_t symbol_count;
  const unsigned char *fills;
  size_t fill_count;
};

enum sartor_image_status {
  SARTOR_IMAGE_GOOD,
  SARTOR_IMAGE_DAMAGED,      /* It is none, or of another version of Sartor. */
  SARTOR_IMAGE_ARCHITECTURE, /* It is for another machine than this. */
  SARTOR_IMAGE_SYMBOL,       /* The program has no symbol of a name that the image refers to. */
  SARTOR_IMAGE_REACH         /* One lies farther from the code than its instructions reach. */
};

/* Takes an image for this machine apart. Any bytes may be given. */
enum sartor_image_status sartor_image_read(const unsigned char *bytes, size_t size,
                                           struct sartor_image *image);

/* The address of a symbol, whose name is not terminated; null if there is none. */
typedef void *(*sartor_resolve)(void *context, const char *name, size_t size);

/* Writes the code to `writable`, for it to run at `code`, which may be another view of the same
 * memory: code_size bytes, aligned. Where a symbol is missing, `missing` is its number. */
enum sartor_image_status sartor_image_place(const struct sartor_image *image,
                                            unsigned char *writable, const unsigned char *code,
                                            sartor_resolve resolve, void *context, size_t *missing);

/* What a symbol of the image is called; not terminated. */
const char *sartor_image_symbol(const struct sartor_image *image, size_t number, size_t *size);

#endif
