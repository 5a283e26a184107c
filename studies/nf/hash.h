/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For native code and for BPF. */
#ifndef SARTOR_STUDY_NF_HASH_H
#define SARTOR_STUDY_NF_HASH_H

#include "packet.h"

/* Hashes a key's words: multiplied and mixed (in D. Lemire and O. Kaser's survey of strongly
 * universal families each word has its own odd factor; here one factor derived from a seed).
 * Without knowing the seed, an attacker cannot choose colliding keys. */
NF_INLINE uint32_t nf_hash(const void *key, unsigned bytes, uint64_t seed) {
  uint64_t hash = seed;
  for (unsigned i = 0; i < bytes; i += 4) {
    uint32_t word;
    __builtin_memcpy(&word, (const uint8_t *)key + i, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
  }
  hash *= seed | 1;
  return (uint32_t)(hash >> 32);
}

#endif
