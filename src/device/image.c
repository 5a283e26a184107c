/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/image.h"

#include <string.h>

#include "device/bytes.h"

/* core/image/pack.cpp */
static const unsigned char magic[8] = {'S', 'A', 'R', 'T', 'I', 'M', 'G', 4};

/* core/image/code_image.h: the number of this architecture, and of its kinds of fills. */
#if defined(__aarch64__)
enum { this_architecture = 1, first_kind = 0, last_kind = 0 };
#elif defined(__arm__)
enum { this_architecture = 2, first_kind = 4, arm_low = 5, arm_high = 6, last_kind = arm_high };
#elif defined(__riscv) && __riscv_xlen == 64
enum { this_architecture = 3, first_kind = 0, last_kind = 0 };
#elif defined(__x86_64__)
enum { this_architecture = 0, first_kind = 0, relative = 1, last_kind = 3 };
#else
#error "images of devices are for aarch64, armv7, riscv64 and x86-64"
#endif

enum { most_alignment = 4096, fill_size = 8 + 8 + 4 + 1 };

/* The value of a fill that replaces a symbol's number. */
static const uint32_t own_code = 0xffffffff;

static void take_symbols(struct sartor_reader *reader, struct sartor_code_image *image) {
  const uint64_t count = sartor_take_number(reader, 8);
  image->symbols = reader->rest;
  for (image->symbol_count = 0; reader->good && image->symbol_count < count;
       ++image->symbol_count) {
    size_t size;
    sartor_take_text(reader, &size);
    sartor_take(reader, 1);
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
  fill.at = sartor_number_at(bytes, 8);
  fill.addend = sartor_number_at(bytes + 8, 8);
  fill.symbol = (uint32_t)sartor_number_at(bytes + 16, 4);
  fill.kind = bytes[20];
  return fill;
}

static int is_good(struct fill fill, const struct sartor_code_image *image) {
  const size_t width = fill.kind == first_kind ? sizeof(void *) : 4;
  return fill.kind - first_kind <= (unsigned)last_kind - first_kind && image->code_size >= width &&
         fill.at <= image->code_size - width &&
         (fill.symbol == own_code || fill.symbol < image->symbol_count);
}

static void take_fills(struct sartor_reader *reader, struct sartor_code_image *image) {
  const uint64_t count = sartor_take_number(reader, 8);
  image->fills = reader->rest;
  for (image->fill_count = 0; reader->good && image->fill_count < count; ++image->fill_count) {
    const unsigned char *bytes = sartor_take(reader, fill_size);
    if (bytes && !is_good(fill_at(bytes), image))
      reader->good = 0;
  }
}

enum sartor_code_image_status sartor_code_image_read(const unsigned char *bytes, size_t size,
                                                     struct sartor_code_image *image) {
  struct sartor_reader reader = {bytes, size, 1};
  uint64_t architecture;
  uint64_t zeroed;
  uint64_t alignment;
  uint64_t entry;
  size_t data_size;
  const unsigned char *begin = sartor_take(&reader, sizeof magic);
  if (!begin || memcmp(begin, magic, sizeof magic) != 0)
    return SARTOR_CODE_IMAGE_DAMAGED;
  architecture = sartor_take_number(&reader, 1);
  if (reader.good && architecture != this_architecture)
    return SARTOR_CODE_IMAGE_ARCHITECTURE;
  image->name = sartor_take_text(&reader, &image->name_size);
  image->code = sartor_take_text(&reader, &image->code_size);
  sartor_take_text(&reader, &data_size);
  zeroed = sartor_take_number(&reader, 8);
  alignment = sartor_take_number(&reader, 4);
  entry = sartor_take_number(&reader, 8);
  sartor_take(&reader, 16); /* the unwind table, which is not used here */
  take_symbols(&reader, image);
  take_fills(&reader, image);
  if (!reader.good || data_size > 0 || zeroed > 0 || alignment == 0 || alignment > most_alignment ||
      (alignment & (alignment - 1)) != 0 || entry >= image->code_size)
    return SARTOR_CODE_IMAGE_DAMAGED;
  image->alignment = (size_t)alignment;
  image->entry = (size_t)entry;
  return SARTOR_CODE_IMAGE_GOOD;
}

/* `at` is the address where the code will run. Returns zero if the address is out of reach. */
static int write_address(unsigned char *to, uintptr_t at, uintptr_t address, unsigned kind) {
#if defined(__arm__)
  if (kind == arm_low || kind == arm_high) {
    const uint32_t half = (uint32_t)(kind == arm_low ? address : address >> 16) & 0xffff;
    uint32_t instruction;
    memcpy(&instruction, to, sizeof instruction);
    instruction = (instruction & 0xfff0f000) | (half & 0xf000) << 4 | (half & 0xfff);
    memcpy(to, &instruction, sizeof instruction);
    return 1;
  }
#elif defined(__x86_64__)
  if (kind == relative) {
    const int64_t distance = (int64_t)(address - at);
    const int32_t written = (int32_t)distance;
    memcpy(to, &written, sizeof written);
    return written == distance;
  }
  if (kind > relative) /* through the image's own stub or table, which has an address */
    return 1;
#endif
  (void)at;
  (void)kind;
  memcpy(to, &address, sizeof address);
  return 1;
}

const char *sartor_code_image_symbol(const struct sartor_code_image *image, size_t number,
                                     size_t *size) {
  const unsigned char *at = image->symbols;
  for (;; --number) {
    *size = (size_t)sartor_number_at(at, 8);
    if (number == 0)
      return (const char *)at + 8;
    at += 8 + *size + 1;
  }
}

enum sartor_code_image_status sartor_code_image_place(const struct sartor_code_image *image,
                                                      unsigned char *writable,
                                                      const unsigned char *code,
                                                      sartor_resolve resolve, void *context,
                                                      size_t *missing) {
  memcpy(writable, image->code, image->code_size);
  for (size_t i = 0; i < image->fill_count; ++i) {
    const struct fill fill = fill_at(image->fills + i * fill_size);
    uintptr_t address = (uintptr_t)code;
    if (fill.symbol != own_code) {
      size_t size;
      const char *name = sartor_code_image_symbol(image, fill.symbol, &size);
      address = (uintptr_t)resolve(context, name, size);
      if (address == 0 && name[size] == 0) {
        *missing = fill.symbol;
        return SARTOR_CODE_IMAGE_SYMBOL;
      }
    }
    address += (uintptr_t)fill.addend;
    if (!write_address(writable + fill.at, (uintptr_t)code + fill.at, address, fill.kind))
      return SARTOR_CODE_IMAGE_REACH;
  }
  return SARTOR_CODE_IMAGE_GOOD;
}
