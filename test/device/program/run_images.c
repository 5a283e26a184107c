/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * run_images DIRECTORY: places the variants that make_images has made, and compares their
 * results with those of the handlers compiled into this program. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/image.h"
#include "handlers.h"

int64_t calls_seen;
const int32_t weights[8] = {3, -1, 4, 1, -5, 9, 2, 6};
int64_t outside(int64_t a, int64_t b) { return a ^ (b + 1); }
double outside_real(double a) { return a * a + 1; }
int64_t hidden_limit = INT64_MAX;
void give_up(int64_t a) { exit(a == 0 ? 4 : 5); }

typedef int64_t (*handler)(int64_t, int64_t);

struct named {
  const char *name;
  void *address;
};

static const struct named handlers[] = {
    {"sums", (void *)sums},       {"divisions", (void *)divisions}, {"reals", (void *)reals},
    {"choices", (void *)choices}, {"copies", (void *)copies},       {"narrow", (void *)narrow},
    {"hidden", (void *)hidden}};

#if defined(__arm__)
void __aeabi_ldivmod(void);
void __aeabi_uldivmod(void);
void __aeabi_l2d(void);
void __aeabi_ul2d(void);
void __aeabi_d2lz(void);
void __aeabi_lmul(void);
void __aeabi_llsl(void);
void __aeabi_llsr(void);
void __aeabi_lasr(void);
void __aeabi_idiv(void);
void __aeabi_uidiv(void);
void __aeabi_memcpy(void *, const void *, size_t);
void __aeabi_memcpy4(void *, const void *, size_t);
void __aeabi_memcpy8(void *, const void *, size_t);
void __aeabi_memclr(void *, size_t);
void __aeabi_memclr4(void *, size_t);
void __aeabi_memclr8(void *, size_t);
#endif

static const struct named symbols[] = {
    {"calls_seen", &calls_seen},
    {"weights", (void *)weights},
    {"outside", (void *)outside},
    {"outside_real", (void *)outside_real},
    {"hidden_limit", &hidden_limit},
    {"give_up", (void *)give_up},
    {"memcpy", (void *)memcpy},
    {"memset", (void *)memset},
#if defined(__arm__)
    {"__aeabi_ldivmod", (void *)__aeabi_ldivmod},
    {"__aeabi_uldivmod", (void *)__aeabi_uldivmod},
    {"__aeabi_l2d", (void *)__aeabi_l2d},
    {"__aeabi_ul2d", (void *)__aeabi_ul2d},
    {"__aeabi_d2lz", (void *)__aeabi_d2lz},
    {"__aeabi_lmul", (void *)__aeabi_lmul},
    {"__aeabi_llsl", (void *)__aeabi_llsl},
    {"__aeabi_llsr", (void *)__aeabi_llsr},
    {"__aeabi_lasr", (void *)__aeabi_lasr},
    {"__aeabi_idiv", (void *)__aeabi_idiv},
    {"__aeabi_uidiv", (void *)__aeabi_uidiv},
    {"__aeabi_memcpy", (void *)__aeabi_memcpy},
    {"__aeabi_memcpy4", (void *)__aeabi_memcpy4},
    {"__aeabi_memcpy8", (void *)__aeabi_memcpy8},
    {"__aeabi_memclr", (void *)__aeabi_memclr},
    {"__aeabi_memclr4", (void *)__aeabi_memclr4},
    {"__aeabi_memclr8", (void *)__aeabi_memclr8},
#endif
};

/* The failure counters of guards. */
static int64_t failures[64];

static void *resolve(void *context, const char *name, size_t size) {
  (void)context;
  if (size == strlen("sartor.guard_failures") && memcmp(name, "sartor.guard_failures", size) == 0)
    return failures;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
    if (strlen(symbols[i].name) == size && memcmp(symbols[i].name, name, size) == 0)
      return symbols[i].address;
  printf("no symbol %.*s\n", (int)size, name);
  return NULL;
}

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = malloc(1 << 20);
  if (!file || !bytes)
    exit(2);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

/* An odd position in a page: the code may be placed anywhere. */
static unsigned char *somewhere(unsigned char *page, size_t alignment) {
  static size_t step;
  step = (step + 48) % 4096;
  return alignment < 64 ? page + (step + 63) / 64 * 64 : page;
}

static handler place(const char *path) {
  struct sartor_code_image image;
  size_t size;
  size_t missing;
  unsigned char *bytes = read_file(path, &size);
  /* A truncated image is rejected. */
  for (size_t left = 0; left < size; left += 1 + left / 7) {
    unsigned char *part = malloc(left + 1);
    memcpy(part, bytes, left);
    if (sartor_code_image_read(part, left, &image) == SARTOR_CODE_IMAGE_GOOD &&
        image.fills > part + left)
      exit(3);
    free(part);
  }
  if (sartor_code_image_read(bytes, size, &image) != SARTOR_CODE_IMAGE_GOOD)
    return NULL;
  const size_t room = image.code_size + 8192;
  unsigned char *page =
      mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char *code = somewhere(page, image.alignment);
  if (sartor_code_image_place(&image, code, code, resolve, NULL, &missing) !=
      SARTOR_CODE_IMAGE_GOOD)
    return NULL;
  if (mprotect(page, room, PROT_READ | PROT_EXEC) != 0)
    return NULL;
  __builtin___clear_cache((char *)code, (char *)code + image.code_size);
  return (handler)(void *)(code + image.entry);
}

int main(int count, char **words) {
  static const int64_t inputs[] = {
      0,  1,   2,   3,    5,    7,  8,     12,    17,         63,
      64, 65,  100, 1024, 4097, -1, -3,    -1000, 2147483647, 0x123456789abcdef,
      -5, 255, 256, 511,  1000, 37, 32768, 65535};
  char path[4096];
  char name[256];
  char what[256];
  int number;
  int compared = 0;
  if (count != 2)
    return 2;
  snprintf(path, sizeof path, "%s/list", words[1]);
  FILE *list = fopen(path, "r");
  while (list && fscanf(list, "%d %255s %255s", &number, name, what) == 3) {
    handler native = NULL;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; ++i)
      if (strcmp(handlers[i].name, name) == 0)
        native = (handler)handlers[i].address;
    snprintf(path, sizeof path, "%s/%d", words[1], number);
    const handler variant = place(path);
    if (!native || !variant) {
      printf("%s cannot be placed\n", what);
      return 1;
    }
    /* A setting without a guard is guaranteed by the caller. */
    const int is_invariant = strstr(what, "!") != NULL;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i)
      for (size_t j = 0; j < sizeof inputs / sizeof *inputs; ++j) {
        const int64_t a = is_invariant ? 5 : inputs[i] < 100000 ? inputs[i] : inputs[i] & 4095;
        const int64_t b = inputs[j];
        const int64_t before = calls_seen;
        const int64_t expected = native(a, b);
        const int64_t seen = calls_seen - before;
        const int64_t found = variant(a, b);
        if (found != expected || calls_seen - before != 2 * seen) {
          printf("%s(%lld, %lld) is %lld, not %lld\n", what, (long long)a, (long long)b,
                 (long long)found, (long long)expected);
          return 1;
        }
        ++compared;
      }
  }
  printf("%d results are the same\n", compared);
  return compared == 0;
}
