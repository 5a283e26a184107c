/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_STUDY_XDP_COUNT_BPF_H
#define SARTOR_STUDY_XDP_COUNT_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "outcome.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, outcome_count);
  __type(key, __u32);
  __type(value, __u64);
} outcomes SEC(".maps");

static __always_inline void increment(void *map, __u32 key) {
  __u64 *counter = bpf_map_lookup_elem(map, &key);
  if (counter)
    ++*counter;
}

/* Counts an outcome; returns the verdict. */
static __always_inline int count(enum Outcome outcome, int verdict) {
  increment(&outcomes, outcome);
  return verdict;
}

static __always_inline int is_broken(enum Outcome outcome) {
  return outcome == outcome_truncated || outcome == outcome_malformed ||
         outcome == outcome_bad_checksum;
}

#endif
