/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes as base/bytes.h has them: little-endian numbers; texts and lists behind their lengths, of
 * eight bytes. */
#ifndef SARTOR_DEVICE_BYTES_H
#define SARTOR_DEVICE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* What is left of some bytes; `good` until there were too few. */
struct sartor_reader {
  const unsigned char *rest;
  size_t size;
  int good;
};

/* Null where there are too few. */
const unsigned char *sartor_take(struct sartor_reader *reader, uint64_t size);
/* Zero likewise. */
uint64_t sartor_take_number(struct sartor_reader *reader, unsigned size);
/* Not terminated; of no bytes likewise. */
const unsigned char *sartor_take_text(struct sartor_reader *reader, size_t *size);
uint64_t sartor_number_at(const unsigned char *bytes, unsigned size);

/* What is being written. It grows; `failed` where there was no memory for that, and then nothing in
 * it counts. */
struct sartor_writer {
  unsigned char *bytes;
  size_t size;
  size_t room;
  int failed;
};

void sartor_put(struct sartor_writer *writer, const void *bytes, size_t size);
void sartor_put_number(struct sartor_writer *writer, uint64_t number, unsigned size);
void sartor_put_text(struct sartor_writer *writer, const void *text, size_t size);
void sartor_put_string(struct sartor_writer *writer, const char *text);
/* Makes room for bytes that somebody else writes; null where there is none. */
unsigned char *sartor_extend(struct sartor_writer *writer, size_t size);
void sartor_forget(struct sartor_writer *writer);

#endif
