/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for code, mapped twice: where it is written it cannot be executed, and the other way
 * round. */
#ifndef SARTOR_DEVICE_ARENA_H
#define SARTOR_DEVICE_ARENA_H

#include <stddef.h>

#include "device/own_file.h"

struct sartor_arena {
  unsigned char *writable; /* Null in the child of a fork(). */
  unsigned char *code;
  size_t size;
  int file; /* What both are views of. */
  struct sartor_own_file own;
};

/* Rounds up to pages. Zero where the system refuses. */
int sartor_arena_open(struct sartor_arena *arena, size_t size);
void sartor_arena_close(struct sartor_arena *arena);
/* What was written there is to be executed now. */
void sartor_arena_written(const struct sartor_arena *arena, size_t at, size_t size);
/* In the child: its code is its own from now on, and stays as it is. Zero where it cannot be. */
int sartor_arena_after_fork(struct sartor_arena *arena);

#endif
