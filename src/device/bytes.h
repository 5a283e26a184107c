/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes in the format of base/bytes.h: little-endian numbers; texts and lists after their lengths,
 * which have eight bytes. */
#ifndef SARTOR_DEVICE_BYTES_H
#define SARTOR_DEVICE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* The unread rest of some bytes; `good` until there were too few. */
struct sartor_reader {
  const unsigned char *rest;
  size_t size;
  int good;
};

/* Takes bytes; returns null if there are too few. */
const unsigned char *sartor_take(struct sartor_reader *reader, uint64_t size);
/* Takes a number; returns zero if there are too few bytes. */
uint64_t sartor_take_number(struct sartor_reader *reader, unsigned size);
/* Takes a text, which is not terminated; it has no bytes if there are too few. */
const unsigned char *sartor_take_text(struct sartor_reader *reader, size_t *size);
uint64_t sartor_number_at(const unsigned char *bytes, unsigned size);

struct sartor_device_system;

/* Bytes that are being written. The buffer grows; `failed` is set if memory was exhausted, and then
 * the content is invalid. */
struct sartor_writer {
  unsigned char *bytes;
  size_t size;
  size_t room;
  int failed;
  const struct sartor_device_system *system; /* May be null. */
};

void sartor_put(struct sartor_writer *writer, const void *bytes, size_t size);
void sartor_put_number(struct sartor_writer *writer, uint64_t number, unsigned size);
void sartor_put_text(struct sartor_writer *writer, const void *text, size_t size);
void sartor_put_string(struct sartor_writer *writer, const char *text);
/* Reserves space for bytes that the caller writes; returns null if memory is exhausted. */
unsigned char *sartor_extend(struct sartor_writer *writer, size_t size);
void sartor_forget(struct sartor_writer *writer);

#endif
