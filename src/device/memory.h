/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory from the program's allocator, if it has given one. */
#ifndef SARTOR_DEVICE_MEMORY_H
#define SARTOR_DEVICE_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include <sartor/device/device.h>

/* As realloc(); as free() if `bytes` is zero. `system` may be null. */
static inline void *sartor_resize(const struct sartor_device_system *system, void *memory,
                                  size_t bytes) {
  if (system && system->allocate)
    return system->allocate(system->context, memory, bytes);
  if (bytes > 0)
    return realloc(memory, bytes);
  free(memory);
  return NULL;
}

/* As calloc(). */
static inline void *sartor_zeroed(const struct sartor_device_system *system, size_t count,
                                  size_t bytes) {
  void *memory = count <= (size_t)-1 / bytes ? sartor_resize(system, NULL, count * bytes) : NULL;
  return memory ? memset(memory, 0, count * bytes) : NULL;
}

#endif
