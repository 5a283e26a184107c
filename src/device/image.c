/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/image.h"

#include <string.h>

/* image/pack.cpp */
static const unsigned char magic[8] = {'S', 'A', 'R', 'T', 'I', 'M', 'G', 4};

/* image/image.h: what this architecture is, and what its fills may be. */
#if defined(__aarch64__)
enum { this_architecture = 1, first_kind = 0, last_kind = 0 };
#elif defined(__arm__)
enum { this_architecture = 2, first_kind = 4, arm_low = 5, arm_high = 6, last_kind = arm_high };
#elif defined(__riscv) && __riscv_xlen == 64
enum { this_architecture = 3, first_kind = 0, last_kind = 0 };
#else
#error "images of devices are for aarch64, armv7 and riscv64"
#endif

enum { most_alignment = 4096, fill_size = 8 + 8 + 4 + 1 };

/* Of a fill, in place of a symbol's number. */
static const uint32_t own_code = 0xffffffff;

/* What is left of the bytes; `good` until there were too few. */
struct reader {
  const unsigned char *rest;
  size_t size;
  int good;
};

static const unsigned char *take(struct reader *reader, uint64_t size) {
  const unsigned char *taken = reader->rest;
  if (!reader->good || size > reader->size) {
    reader->good = 0;
    return NULL;
  }
  reader->rest += size;
  reader->size -= (size_t)size;
  return taken;
}

static uint64_t number_at(const unsigned char *bytes, unsigned size) {
  uint64_t number = 0;
  while (size-- > 0)
    number = number << 8 | bytes[size];
  return number;
}

static uint64_t take_number(struct reader *reader, unsigned size) {
  const unsigned char *bytes = take(reader, size);
  return bytes ? number_at(bytes, size) : 0;
}

static const unsigned char *take_text(struct reader *reader, size_t *size) {
  const uint64_t all = take_number(reader, 8);
  const unsigned char *text = take(reader, all);
  *size = text ? (size_t)all : 0;
  return text;
}

static void take_symbols(struct reader *reader, struct sartor_image *image) {
  const uint64_t count = take_number(reader, 8);
  image->symbols = reader->rest;
  for (image->symbol_count = 0; reader->good && image->symbol_count < count;
       ++image->symbol_count) {
    size_t size;
    take_text(reader, &size);
    take(reader, 1);
  }
}

struct fill {
  uint64_t at;
  uint64_t addend;
  uint32_t symbol;
  unsigned kind;
};

static struct fill fill_at(const unsigned char *bytes) {
  struct fill fill;
  fill.at = number_at(bytes, 8);
  fill.addend = number_at(bytes + 8, 8);
  fill.symbol = (uint32_t)number_at(bytes + 16, 4);
  fill.kind = bytes[20];
  return fill;
}

static int is_good(struct fill fill, const struct sartor_image *image) {
  return fill.kind - first_kind <= (unsigned)last_kind - first_kind &&
         image->code_size >= sizeof(void *) && fill.at <= image->code_size - sizeof(void *) &&
         (fill.symbol == own_code || fill.symbol < image->symbol_count);
}

static void take_fills(struct reader *reader, struct sartor_image *image) {
  const uint64_t count = take_number(reader, 8);
  image->fills = reader->rest;
  for (image->fill_count = 0; reader->good && image->fill_count < count; ++image->fill_count) {
    const unsigned char *bytes = take(reader, fill_size);
    if (bytes && !is_good(fill_at(bytes), image))
      reader->good = 0;
  }
}

enum sartor_image_status sartor_image_read(const unsigned char *bytes, size_t size,
                                           struct sartor_image *image) {
  struct reader reader = {bytes, size, 1};
  uint64_t architecture;
  uint64_t zeroed;
  uint64_t alignment;
  uint64_t entry;
  size_t data_size;
  const unsigned char *begin = take(&reader, sizeof magic);
  if (!begin || memcmp(begin, magic, sizeof magic) != 0)
    return SARTOR_IMAGE_DAMAGED;
  architecture = take_number(&reader, 1);
  if (reader.good && architecture != this_architecture)
    return SARTOR_IMAGE_ARCHITECTURE;
  image->name = take_text(&reader, &image->name_size);
  image->code = take_text(&reader, &image->code_size);
  take_text(&reader, &data_size);
  zeroed = take_number(&reader, 8);
  alignment = take_number(&reader, 4);
  entry = take_number(&reader, 8);
  take(&reader, 16); /* the unwind table, which nobody reads here */
  take_symbols(&reader, image);
  take_fills(&reader, image);
  if (!reader.good || data_size > 0 || zeroed > 0 || alignment == 0 || alignment > most_alignment ||
      (alignment & (alignment - 1)) != 0 || entry >= image->code_size)
    return SARTOR_IMAGE_DAMAGED;
  image->alignment = (size_t)alignment;
  image->entry = (size_t)entry;
  return SARTOR_IMAGE_GOOD;
}

static void write_address(unsigned char *to, uintptr_t address, unsigned kind) {
#if defined(__arm__)
  if (kind == arm_low || kind == arm_high) {
    const uint32_t half = (uint32_t)(kind == arm_low ? address : address >> 16) & 0xffff;
    uint32_t instruction;
    memcpy(&instruction, to, sizeof instruction);
    instruction = (instruction & 0xfff0f000) | (half & 0xf000) << 4 | (half & 0xfff);
    memcpy(to, &instruction, sizeof instruction);
    return;
  }
#else
  (void)kind;
#endif
  memcpy(to, &address, sizeof address);
}

const char *sartor_image_symbol(const struct sartor_image *image, size_t number, size_t *size) {
  const unsigned char *at = image->symbols;
  for (;; --number) {
    *size = (size_t)number_at(at, 8);
    if (number == 0)
      return (const char *)at + 8;
    at += 8 + *size + 1;
  }
}

enum sartor_image_status sartor_image_place(const struct sartor_image *image,
                                            unsigned char *writable, const unsigned char *code,
                                            sartor_resolve resolve, void *context,
                                            size_t *missing) {
  memcpy(writable, image->code, image->code_size);
  for (size_t i = 0; i < image->fill_count; ++i) {
    const struct fill fill = fill_at(image->fills + i * fill_size);
    uintptr_t address = (uintptr_t)code;
    if (fill.symbol != own_code) {
      size_t size;
      const char *name = sartor_image_symbol(image, fill.symbol, &size);
      address = (uintptr_t)resolve(context, name, size);
      if (address == 0 && name[size] == 0) {
        *missing = fill.symbol;
        return SARTOR_IMAGE_SYMBOL;
      }
    }
    address += (uintptr_t)fill.addend;
    write_address(writable + fill.at, address, fill.kind);
  }
  return SARTOR_IMAGE_GOOD;
}
