/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cache of code: the least recently called code is evicted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/image.h"
#include "device/state.h"

enum { least_alignment = 16 };

int sartor_evict(struct sartor_device *device, struct sartor_version *version) {
  void *code = atomic_exchange(&version->code, NULL);
  if (atomic_load(&version->users) > 0) {
    atomic_store(&version->code, code);
    return 0;
  }
  device->figures.code -= version->size;
  version->size = 0;
  memset(version->invariants, 0, sartor_dependency_words(device) * sizeof *version->invariants);
  return 1;
}

static int overlaps(const struct sartor_version *version, size_t at, size_t size) {
  return version->size > 0 && at < version->at + version->size && version->at < at + size;
}

static int is_free(const struct sartor_device *device, size_t at, size_t size) {
  if (size > device->arena.size || at > device->arena.size - size)
    return 0;
  for (size_t i = 0; i < sartor_version_count(device); ++i)
    if (overlaps(&device->versions[i], at, size))
      return 0;
  return 1;
}

/* Finds free memory at the beginning, or right after another piece. Returns zero if there is none.
 */
static int find_room(const struct sartor_device *device, size_t size, size_t alignment,
                     size_t *at) {
  *at = 0;
  if (is_free(device, 0, size))
    return 1;
  for (size_t i = 0; i < sartor_version_count(device); ++i) {
    const struct sartor_version *version = &device->versions[i];
    *at = (version->at + version->size + alignment - 1) / alignment * alignment;
    if (version->size > 0 && is_free(device, *at, size))
      return 1;
  }
  return 0;
}

/* Evicts the least recently called version. Returns zero if all code is in use. */
static int evict_one(struct sartor_device *device, const struct sartor_version *for_whom) {
  struct sartor_version *oldest = NULL;
  for (size_t i = 0; i < sartor_version_count(device); ++i) {
    struct sartor_version *version = &device->versions[i];
    if (version == for_whom || version->size == 0 || atomic_load(&version->users) > 0)
      continue;
    if (!oldest || sartor_is_older(device, version, oldest))
      oldest = version;
  }
  if (!oldest || !sartor_evict(device, oldest))
    return 0;
  ++device->figures.evicted;
  return 1;
}

static int compare_name(const void *key, const void *symbol) {
  return strcmp(key, ((const struct sartor_device_symbol *)symbol)->name);
}

static void *resolve(void *context, const char *name, size_t size) {
  static const char failures[] = "sartor.guard_failures";
  const struct sartor_device_module *module = context;
  char key[256];
  if (size >= sizeof key)
    return NULL;
  memcpy(key, name, size);
  key[size] = 0;
  if (strcmp(key, failures) == 0)
    return module->guard_failures;
  const struct sartor_device_symbol *symbol =
      bsearch(key, module->symbols, module->symbol_count, sizeof *module->symbols, compare_name);
  return symbol ? symbol->address : NULL;
}

enum sartor_placed sartor_place(struct sartor_device *device, struct sartor_version *version,
                                const unsigned char *bytes, size_t size,
                                struct sartor_invariant_list invariants, size_t *needed, char *why,
                                size_t why_size) {
  struct sartor_code_image image;
  size_t missing = 0;
  size_t at;
  *needed = 0;
  switch (sartor_code_image_read(bytes, size, &image)) {
  case SARTOR_CODE_IMAGE_GOOD:
    break;
  case SARTOR_CODE_IMAGE_ARCHITECTURE:
    snprintf(why, why_size, "it is for another processor");
    return SARTOR_UNPLACEABLE;
  default:
    snprintf(why, why_size, "it is damaged, or of another version of Sartor");
    return SARTOR_UNPLACEABLE;
  }
  *needed = image.code_size;
  if (version->size > 0 && !sartor_evict(device, version))
    return SARTOR_NO_SPACE;
  const size_t alignment = image.alignment < least_alignment ? least_alignment : image.alignment;
  while (!find_room(device, image.code_size, alignment, &at))
    if (image.code_size > device->arena.size || !evict_one(device, version))
      return SARTOR_NO_SPACE;
  switch (sartor_code_image_place(&image, device->arena.writable + at, device->arena.code + at,
                                  resolve, (void *)device->module, &missing)) {
  case SARTOR_CODE_IMAGE_GOOD:
    break;
  case SARTOR_CODE_IMAGE_SYMBOL: {
    size_t length;
    const char *name = sartor_code_image_symbol(&image, missing, &length);
    snprintf(why, why_size, "the program has no \"%.*s\": name it with `sartor device --symbol`",
             (int)length, name);
    return SARTOR_UNPLACEABLE;
  }
  default:
    snprintf(why, why_size, "a symbol lies too far from its code");
    return SARTOR_UNPLACEABLE;
  }
  sartor_arena_written(&device->arena, at, image.code_size);
  version->at = at;
  version->size = image.code_size;
  for (uint64_t i = 0; i < invariants.count; ++i) {
    const uint64_t number = sartor_number_at(invariants.numbers + 8 * i, 8);
    version->invariants[number / 32] |= 1u << number % 32;
  }
  device->figures.code += image.code_size;
  atomic_store(&version->used, atomic_fetch_add(&device->clock, 1) + 1);
  atomic_store(&version->code, device->arena.code + at + image.entry);
  return SARTOR_PLACED;
}
