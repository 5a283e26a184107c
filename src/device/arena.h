/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for code, mapped twice: one view is writable, the other executable. */
#ifndef SARTOR_DEVICE_ARENA_H
#define SARTOR_DEVICE_ARENA_H

#include <stddef.h>

#include <sartor/device/device.h>

#include "device/own_file.h"

struct sartor_arena {
  const struct sartor_device_system *system; /* Null if it is a file's. */
  unsigned char *writable;                   /* Null in the child of a fork(). */
  unsigned char *code;
  size_t size;
  int file; /* The file that both are views of. */
  struct sartor_own_file own;
};

/* Opens an arena; the size is rounded up to pages. `system` may be null. Returns zero if the system
 * refuses. */
int sartor_arena_open(struct sartor_arena *arena, size_t size,
                      const struct sartor_device_system *system);
void sartor_arena_close(struct sartor_arena *arena);
/* Must be called before written code is executed. */
void sartor_arena_written(const struct sartor_arena *arena, size_t at, size_t size);
/* Called in a child process: its code becomes private, and does not change any more. Returns zero
 * on failure. */
int sartor_arena_after_fork(struct sartor_arena *arena);

#endif
