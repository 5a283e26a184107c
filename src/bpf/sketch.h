/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profiles of instrumented points in the kernel: written by BPF code (sketch.bpf.c), read by
 * the program. For each processor and point there is a sketch of frequent records after
 * Space-Saving (A. Metwally et al., "Efficient Computation of Frequent and Top-k Elements in Data
 * Streams", ICDT 2005, section 3), divided into sets: a new record replaces the rarest of its set.
 */
#ifndef SARTOR_BPF_SKETCH_H
#define SARTOR_BPF_SKETCH_H

#include <linux/types.h>

enum {
  SARTOR_SKETCH_WORDS = 6, /* four inputs, a result, a version */
  SARTOR_SKETCH_SET_BITS = 6,
  SARTOR_SKETCH_WAYS = 4,
  SARTOR_SKETCH_RECORDS = (1 << SARTOR_SKETCH_SET_BITS) * SARTOR_SKETCH_WAYS
};

/* The true count lies in [count - excess, count]. While words are written, `count` is zero. */
struct sartor_sketch_record {
  __u64 words[SARTOR_SKETCH_WORDS];
  __u64 count;
  __u64 excess;
};

/* The value of the map, one for each point of the space. */
struct sartor_sketch {
  __u64 left; /* The number of calls to skip before the next record. */
  __u64 seen; /* The total number of calls, including those that were not recorded because the
                 sketch was in use. */
  __u64 busy; /* The sketch is being written; the code may have been interrupted meanwhile. */
  __u64 padding;
  struct sartor_sketch_record records[SARTOR_SKETCH_RECORDS];
};

#endif
