// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file What a program of this study does again and again. Each program defines these functions;
/// driver.c calls them.
#ifndef STUDIES_AUTO_WORK_H
#define STUDIES_AUTO_WORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Of a result.
struct sum {
  uint64_t hash; ///< Equal for equal bits only.
  double value;  ///< About equal if compilers round differently.
};

/// Prepares the work that `words` describe. Returns 0 if they describe none.
int work_begin(int count, char **words);
/// Does one unit of the work.
void work_run(void);
/// Does a fixed part of the work from the beginning, and adds its results.
void work_sum(struct sum *sum);

/// Pseudo-random numbers, the same in every process. `state` is anything but 0 at first.
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}
/// From 0 to 1.
static inline double random_share(uint64_t *state) {
  return (double)(next_random(state) >> 11) * 0x1p-53;
}

static inline void add_bytes(struct sum *sum, const void *bytes, size_t size) {
  const unsigned char *byte = (const unsigned char *)bytes;
  for (size_t i = 0; i < size; ++i)
    sum->hash = (sum->hash ^ byte[i]) * 0x100000001b3;
}

#ifdef __cplusplus
}
#endif

#endif
