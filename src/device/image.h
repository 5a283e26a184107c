/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images in the format of core::pack_image() (core/image/code_image.h), read and placed in C. */
#ifndef SARTOR_DEVICE_IMAGE_H
#define SARTOR_DEVICE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* A parsed image: it points into the bytes. Parsed values are within bounds. */
struct sartor_code_image {
  const unsigned char *name; /* The name of its function, not terminated. */
  size_t name_size;
  const unsigned char *code;
  size_t code_size;
  size_t alignment; /* The alignment of the code: a power of two, a page at most. */
  size_t entry;     /* The offset of its entry in the code. */
  const unsigned char *symbols;
  size_t symbol_count;
  const unsigned char *fills;
  size_t fill_count;
};

enum sartor_code_image_status {
  SARTOR_CODE_IMAGE_GOOD,
  SARTOR_CODE_IMAGE_DAMAGED,      /* It is not an image, or of another version of Sartor. */
  SARTOR_CODE_IMAGE_ARCHITECTURE, /* It is for another machine than this. */
  SARTOR_CODE_IMAGE_SYMBOL, /* The program has no symbol of a name that the image refers to. */
  SARTOR_CODE_IMAGE_REACH   /* A symbol is farther from the code than its instructions reach. */
};

/* Parses an image for this machine. Any bytes may be passed. */
enum sartor_code_image_status sartor_code_image_read(const unsigned char *bytes, size_t size,
                                                     struct sartor_code_image *image);

/* Returns the address of a symbol, whose name is not terminated; null if there is none. */
typedef void *(*sartor_resolve)(void *context, const char *name, size_t size);

/* Writes the code to `writable`, to run at `code`, which may be another view of the same memory:
 * code_size bytes, aligned. If a symbol is missing, `missing` is its number. */
enum sartor_code_image_status sartor_code_image_place(const struct sartor_code_image *image,
                                                      unsigned char *writable,
                                                      const unsigned char *code,
                                                      sartor_resolve resolve, void *context,
                                                      size_t *missing);

/* Returns the name of a symbol of the image; not terminated. */
const char *sartor_code_image_symbol(const struct sartor_code_image *image, size_t number,
                                     size_t *size);

#endif
