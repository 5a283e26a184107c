/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled to bitcode, and linked to variants whose points are instrumented. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/sketch.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1); /* the loading process sets the number of points */
  __type(key, __u32);
  __type(value, struct sartor_sketch);
} sartor_profile SEC(".maps");

static const __u64 factors[SARTOR_SKETCH_WORDS] = {
    0x9e3779b97f4a7c15, 0xd1b54a32d192ed03, 0xaef17502108ef2d9, 0xda942042e4dd58b5, 0, 0};

static __always_inline int has_inputs(const struct sartor_sketch_record *record, const __u64 *words,
                                      __u32 inputs) {
  __u64 difference = 0;
#pragma unroll
  for (__u32 i = 0; i < SARTOR_SKETCH_WORDS; ++i)
    if (i < inputs)
      difference |= record->words[i] ^ words[i];
  return difference == 0;
}

static __always_inline void write(struct sartor_sketch_record *record, const __u64 *words,
                                  __u64 count, __u64 excess) {
  *(volatile __u64 *)&record->count = 0;
#pragma unroll
  for (__u32 i = 0; i < SARTOR_SKETCH_WORDS; ++i)
    *(volatile __u64 *)&record->words[i] = words[i];
  *(volatile __u64 *)&record->excess = excess;
  *(volatile __u64 *)&record->count = count;
}

static __always_inline void add(struct sartor_sketch *sketch, const __u64 *words, __u64 weight,
                                __u32 inputs) {
  __u64 sum = 0;
  struct sartor_sketch_record *rarest = 0;
#pragma unroll
  for (__u32 i = 0; i < SARTOR_SKETCH_WORDS; ++i)
    if (i < inputs)
      sum += words[i] * factors[i];
  const __u32 first = (sum >> (64 - SARTOR_SKETCH_SET_BITS)) * SARTOR_SKETCH_WAYS;
#pragma unroll
  for (__u32 way = 0; way < SARTOR_SKETCH_WAYS; ++way) {
    struct sartor_sketch_record *record = &sketch->records[first + way];
    if (record->count && has_inputs(record, words, inputs)) {
      write(record, words, record->count + weight, record->excess);
      return;
    }
    if (!rarest || record->count < rarest->count)
      rarest = record;
  }
  if (rarest)
    write(rarest, words, rarest->count + weight, rarest->count);
}

struct record {
  __u64 words[SARTOR_SKETCH_WORDS];
};

/* Not inlined: it is rarely run. Not static, so that the verifier checks it once by itself, and not
 * again for each path that leads here. A record stands for `every` calls. */
__attribute__((noinline)) int sartor_sample(struct sartor_sketch *sketch, const struct record *seen,
                                            __u64 every, __u32 inputs) {
  if (!sketch || !seen)
    return 0;
  sketch->left = every > 1 ? (bpf_get_prandom_u32() % (2 * every - 1)) : 0;
  sketch->seen += every;
  if (sketch->busy)
    return 0;
  *(volatile __u64 *)&sketch->busy = 1;
  add(sketch, seen->words, every, inputs);
  *(volatile __u64 *)&sketch->busy = 0;
  return 0;
}

static __always_inline void sight(__u64 place, __u64 every, __u64 inputs,
                                  const struct record *seen) {
  const __u32 key = place;
  struct sartor_sketch *sketch = bpf_map_lookup_elem(&sartor_profile, &key);
  if (!sketch)
    return;
  if (sketch->left) {
    --sketch->left;
    return;
  }
  sartor_sample(sketch, seen, every, inputs);
}

#define SARTOR_SIGHT(n, parameters, ...)                                                           \
  __attribute__((always_inline)) void sartor_sight_##n parameters {                                \
    const struct record seen = {{__VA_ARGS__}};                                                    \
    sight(place, every, inputs, &seen);                                                            \
  }
SARTOR_SIGHT(1, (__u64 place, __u64 every, __u64 inputs, __u64 a), a)
SARTOR_SIGHT(2, (__u64 place, __u64 every, __u64 inputs, __u64 a, __u64 b), a, b)
SARTOR_SIGHT(3, (__u64 place, __u64 every, __u64 inputs, __u64 a, __u64 b, __u64 c), a, b, c)
SARTOR_SIGHT(4, (__u64 place, __u64 every, __u64 inputs, __u64 a, __u64 b, __u64 c, __u64 d), a, b,
             c, d)
SARTOR_SIGHT(5,
             (__u64 place, __u64 every, __u64 inputs, __u64 a, __u64 b, __u64 c, __u64 d, __u64 e),
             a, b, c, d, e)
SARTOR_SIGHT(6,
             (__u64 place, __u64 every, __u64 inputs, __u64 a, __u64 b, __u64 c, __u64 d, __u64 e,
              __u64 f),
             a, b, c, d, e, f)
