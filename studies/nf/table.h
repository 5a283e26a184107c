/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hash tables of native code. Each key has a window of slots that it may be in, from where its hash
 * points to; a removed entry leaves nothing behind. In BPF, a map has the same functions
 * (table.bpf.h). Belongs to the thread of its function. */
#ifndef SARTOR_STUDY_NF_TABLE_H
#define SARTOR_STUDY_NF_TABLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

enum { nf_window = 32 };

/* Of a key's words: multiplied and mixed (as in D. Lemire and O. Kaser's survey of strongly
 * universal families each word has its own odd factor; here one from a seed). Whoever does not
 * know the seed cannot choose keys that meet. */
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

/* Declares `struct Table`, from Key to Value, and its functions. A key's size is a multiple
 * of four bytes, all of them written. `at_once` is how many slots are compared with each other at
 * once: it changes nothing but speed, and divides nf_window. */
#define NF_TABLE(name, Table, Key, Value)                                                          \
  struct Table##Slot {                                                                             \
    Key key;                                                                                       \
    Value value;                                                                                   \
  };                                                                                               \
  struct Table {                                                                                   \
    uint16_t *tags; /* Of each slot, a part of its key's hash; 0 where it is free. */              \
    struct Table##Slot *slots;                                                                     \
    uint64_t seed;                                                                                 \
    uint32_t mask;                                                                                 \
    uint32_t count;                                                                                \
  };                                                                                               \
  /* Returns whether there is memory for it. `slots` is a power of two. */                         \
  static inline int name##_make(struct Table *table, uint32_t slots, uint64_t seed) {              \
    table->tags = (uint16_t *)calloc(slots + nf_window, sizeof *table->tags);                      \
    table->slots = (struct Table##Slot *)calloc(slots + nf_window, sizeof *table->slots);          \
    table->seed = seed;                                                                            \
    table->mask = slots - 1;                                                                       \
    table->count = 0;                                                                              \
    return table->tags && table->slots;                                                            \
  }                                                                                                \
  static inline void name##_free(struct Table *table) {                                            \
    free(table->tags);                                                                             \
    free(table->slots);                                                                            \
    memset(table, 0, sizeof *table);                                                               \
  }                                                                                                \
  NF_INLINE uint32_t name##_hash(const struct Table *table, const Key *key) {                      \
    return nf_hash(key, sizeof *key, table->seed);                                                 \
  }                                                                                                \
  NF_INLINE uint16_t name##_tag(uint32_t hash) { return (uint16_t)(hash >> 16) | 1; }              \
  NF_INLINE void name##_prefetch(const struct Table *table, uint32_t hash) {                       \
    __builtin_prefetch(&table->tags[hash & table->mask]);                                          \
    __builtin_prefetch(&table->slots[hash & table->mask]);                                         \
  }                                                                                                \
  /* The value, or null. */                                                                        \
  NF_INLINE Value *name##_find(const struct Table *table, const Key *key, uint32_t hash,           \
                               unsigned at_once) {                                                 \
    const uint32_t home = hash & table->mask;                                                      \
    const uint16_t tag = name##_tag(hash);                                                         \
    for (uint32_t first = home; first < home + nf_window; first += at_once) {                      \
      uint32_t same = 0;                                                                           \
      for (unsigned i = 0; i < at_once; ++i)                                                       \
        same |= (uint32_t)(table->tags[first + i] == tag) << i;                                    \
      for (; same; same &= same - 1) {                                                             \
        struct Table##Slot *slot = &table->slots[first + (uint32_t)__builtin_ctz(same)];           \
        if (!memcmp(&slot->key, key, sizeof *key))                                                 \
          return &slot->value;                                                                     \
      }                                                                                            \
    }                                                                                              \
    return 0;                                                                                      \
  }                                                                                                \
  /* The value of a key that is not in it yet, to be written; null where its window is full. */    \
  NF_INLINE Value *name##_insert(struct Table *table, const Key *key, uint32_t hash) {             \
    const uint32_t home = hash & table->mask;                                                      \
    for (uint32_t at = home; at < home + nf_window; ++at)                                          \
      if (!table->tags[at]) {                                                                      \
        table->tags[at] = name##_tag(hash);                                                        \
        table->slots[at].key = *key;                                                               \
        ++table->count;                                                                            \
        return &table->slots[at].value;                                                            \
      }                                                                                            \
    return 0;                                                                                      \
  }                                                                                                \
  /* `value` is one that find() gave. */                                                           \
  NF_INLINE void name##_remove(struct Table *table, const Value *value) {                          \
    const struct Table##Slot *slot =                                                               \
        (const struct Table##Slot *)((const uint8_t *)value -                                      \
                                     __builtin_offsetof(struct Table##Slot, value));               \
    table->tags[slot - table->slots] = 0;                                                          \
    --table->count;                                                                                \
  }                                                                                                \
  /* Removes what `is_over`, in the next `slots` slots from `cursor` on, which it moves. */        \
  static inline void name##_sweep(struct Table *table, uint32_t *cursor, uint32_t slots,           \
                                  int (*is_over)(const Key *, const Value *, void *),              \
                                  void *context) {                                                 \
    for (; slots > 0; --slots) {                                                                   \
      const uint32_t at = *cursor;                                                                 \
      *cursor = at < table->mask + nf_window ? at + 1 : 0;                                         \
      if (table->tags[at] && is_over(&table->slots[at].key, &table->slots[at].value, context))     \
        name##_remove(table, &table->slots[at].value);                                             \
    }                                                                                              \
  }

#endif
