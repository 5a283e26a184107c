/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/bytes.h"

#include <string.h>

#include "device/memory.h"

const unsigned char *sartor_take(struct sartor_reader *reader, uint64_t size) {
  const unsigned char *taken = reader->rest;
  if (!reader->good || size > reader->size) {
    reader->good = 0;
    return NULL;
  }
  reader->rest += size;
  reader->size -= (size_t)size;
  return taken;
}

uint64_t sartor_number_at(const unsigned char *bytes, unsigned size) {
  uint64_t number = 0;
  while (size-- > 0)
    number = number << 8 | bytes[size];
  return number;
}

uint64_t sartor_take_number(struct sartor_reader *reader, unsigned size) {
  const unsigned char *bytes = sartor_take(reader, size);
  return bytes ? sartor_number_at(bytes, size) : 0;
}

const unsigned char *sartor_take_text(struct sartor_reader *reader, size_t *size) {
  const uint64_t all = sartor_take_number(reader, 8);
  const unsigned char *text = sartor_take(reader, all);
  *size = text ? (size_t)all : 0;
  return text;
}

unsigned char *sartor_extend(struct sartor_writer *writer, size_t size) {
  if (writer->failed)
    return NULL;
  if (size > writer->room - writer->size) {
    const size_t room = (writer->room + size) * 2;
    unsigned char *bytes = room > size ? sartor_resize(writer->system, writer->bytes, room) : NULL;
    if (!bytes) {
      writer->failed = 1;
      return NULL;
    }
    writer->bytes = bytes;
    writer->room = room;
  }
  writer->size += size;
  return writer->bytes + writer->size - size;
}

void sartor_put(struct sartor_writer *writer, const void *bytes, size_t size) {
  unsigned char *to = sartor_extend(writer, size);
  if (to && size > 0)
    memcpy(to, bytes, size);
}

void sartor_put_number(struct sartor_writer *writer, uint64_t number, unsigned size) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < size; ++i)
    bytes[i] = (unsigned char)(number >> 8 * i);
  sartor_put(writer, bytes, size);
}

void sartor_put_text(struct sartor_writer *writer, const void *text, size_t size) {
  sartor_put_number(writer, size, 8);
  sartor_put(writer, text, size);
}

void sartor_put_string(struct sartor_writer *writer, const char *text) {
  sartor_put_text(writer, text, strlen(text));
}

void sartor_forget(struct sartor_writer *writer) {
  const struct sartor_writer empty = {.system = writer->system};
  sartor_resize(writer->system, writer->bytes, 0);
  *writer = empty;
}
