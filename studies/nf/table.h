/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hash tables of native code. Each key can be in a window of slots that starts at its hash;
 * removed entries leave no tombstones. In BPF, a map has the same functions (table.bpf.h).
 * Belongs to the thread of its function. */
#ifndef SARTOR_STUDY_NF_TABLE_H
#define SARTOR_STUDY_NF_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { nf_window = 32 };

/* The place of a missing key; the other bits are the insertion count at which it was missing. */
#define NF_NOWHERE (UINT64_C(1) << 63)

/* A key's bytes as numbers, the arguments of memoized calls. Keys of up to 16 bytes. */
NF_INLINE uint64_t nf_key_word(const void *key, unsigned bytes, unsigned word) {
  const unsigned at = 8 * word;
  uint64_t number = 0;
  if (bytes >= at + 8)
    __builtin_memcpy(&number, (const uint8_t *)key + at, 8);
  else if (bytes > at)
    __builtin_memcpy(&number, (const uint8_t *)key + at, 4);
  return number;
}

enum { nf_tags_at_once = 8 };
typedef uint16_t NfTags __attribute__((ext_vector_type(nf_tags_at_once)));
typedef bool NfAreSame __attribute__((ext_vector_type(nf_tags_at_once)));

/* Compares eight tags with one, branch-free; returns a bit set. */
NF_INLINE uint32_t nf_same_tags(const uint16_t *tags, uint16_t tag) {
  NfTags some;
  __builtin_memcpy(&some, tags, sizeof some);
  const NfAreSame are_same = __builtin_convertvector(some == tag, NfAreSame);
  uint8_t bits;
  __builtin_memcpy(&bits, &are_same, sizeof bits);
  return bits;
}

/* Declares `struct Table`, from Key to Value, and its functions. A key's size is a multiple of
 * four bytes, 16 at most, without padding. `at_once` is how many slots are compared at once: it
 * affects only the speed, and divides nf_window. */
#define NF_TABLE(name, Table, Key, Value)                                                          \
  struct Table##Slot {                                                                             \
    Key key;                                                                                       \
    Value value;                                                                                   \
  };                                                                                               \
  struct Table {                                                                                   \
    uint16_t *tags; /* For each slot, a part of its key's hash; 0 if it is free. */                \
    struct Table##Slot *slots;                                                                     \
    uint64_t seed;                                                                                 \
    uint64_t inserted; /* Total number of insertions. */                                           \
    uint32_t mask;                                                                                 \
    uint32_t count;                                                                                \
    uint32_t version; /* Number of times it was made; see name##_at(). */                          \
  };                                                                                               \
  /* Returns whether memory was available. `slots` is a power of two. */                           \
  static inline int name##_make(struct Table *table, uint32_t slots, uint64_t seed) {              \
    table->tags = (uint16_t *)calloc(slots + nf_window + nf_tags_at_once, sizeof *table->tags);    \
    table->slots = (struct Table##Slot *)calloc(slots + nf_window, sizeof *table->slots);          \
    table->seed = seed;                                                                            \
    table->mask = slots - 1;                                                                       \
    table->count = 0;                                                                              \
    ++table->version;                                                                              \
    return table->tags && table->slots;                                                            \
  }                                                                                                \
  /* Keeps the counters: places found earlier must not become valid again. */                      \
  static inline void name##_free(struct Table *table) {                                            \
    free(table->tags);                                                                             \
    free(table->slots);                                                                            \
    table->tags = 0;                                                                               \
    table->slots = 0;                                                                              \
    table->count = 0;                                                                              \
  }                                                                                                \
  NF_INLINE uint32_t name##_hash(const struct Table *table, const Key *key) {                      \
    return nf_hash(key, sizeof *key, table->seed);                                                 \
  }                                                                                                \
  NF_INLINE uint16_t name##_tag(uint32_t hash) { return (uint16_t)(hash >> 16) | 1; }              \
  NF_INLINE void name##_prefetch(const struct Table *table, uint32_t hash) {                       \
    __builtin_prefetch(&table->tags[hash & table->mask]);                                          \
    __builtin_prefetch(&table->slots[hash & table->mask]);                                         \
  }                                                                                                \
  /* The index of a key's slot, or NF_NOWHERE and the insertion count if it is missing. All        \
   * arguments are values, so that results may be memoized; see name##_at(). */                    \
  __attribute__((pure)) static inline uint64_t name##_place(                                       \
      const struct Table *table, uint64_t low, uint64_t high, uint64_t hash_and_at_once) {         \
    const uint64_t words[2] = {low, high};                                                         \
    const uint32_t hash = (uint32_t)(hash_and_at_once >> 32);                                      \
    const uint32_t at_once = (uint32_t)hash_and_at_once;                                           \
    const uint32_t home = hash & table->mask;                                                      \
    const uint16_t tag = name##_tag(hash);                                                         \
    for (uint32_t first = home; first < home + nf_window; first += at_once) {                      \
      uint32_t same = 0;                                                                           \
      for (unsigned i = 0; i < at_once; i += nf_tags_at_once)                                      \
        same |= nf_same_tags(&table->tags[first + i], tag) << i;                                   \
      same &= ~0U >> (32 - at_once);                                                               \
      for (; same; same &= same - 1) {                                                             \
        const uint32_t at = first + (uint32_t)__builtin_ctz(same);                                 \
        if (!memcmp(&table->slots[at].key, words, sizeof(Key)))                                    \
          return at;                                                                               \
      }                                                                                            \
    }                                                                                              \
    return NF_NOWHERE | table->inserted;                                                           \
  }                                                                                                \
  NF_INLINE uint64_t name##_place_of(const struct Table *table, const Key *key, uint32_t hash,     \
                                     unsigned at_once) {                                           \
    return name##_place(table, nf_key_word(key, sizeof *key, 0), nf_key_word(key, sizeof *key, 1), \
                        (uint64_t)hash << 32 | at_once);                                           \
  }                                                                                                \
  NF_SELDOM uint64_t name##_place_now(const struct Table *table, uint64_t low, uint64_t high,      \
                                      uint64_t hash_and_at_once) {                                 \
    return name##_place(table, low, high, hash_and_at_once);                                       \
  }                                                                                                \
  /* The value of a key, or null. `place` is an earlier result of place(): since entries come and  \
   * go, it is a hint that is checked; an outdated hint causes a lookup. */                        \
  NF_INLINE Value *name##_at(const struct Table *table, const Key *key, uint32_t hash,             \
                             unsigned at_once, uint64_t place) {                                   \
    if (place <= (uint64_t)table->mask + nf_window && table->tags[place] &&                        \
        !memcmp(&table->slots[place].key, key, sizeof *key))                                       \
      return &table->slots[place].value;                                                           \
    if (place == (NF_NOWHERE | table->inserted))                                                   \
      return 0;                                                                                    \
    place = name##_place_now(table, nf_key_word(key, sizeof *key, 0),                              \
                             nf_key_word(key, sizeof *key, 1), (uint64_t)hash << 32 | at_once);    \
    return place & NF_NOWHERE ? 0 : &table->slots[place].value;                                    \
  }                                                                                                \
  /* The value, or null. */                                                                        \
  NF_INLINE Value *name##_find(const struct Table *table, const Key *key, uint32_t hash,           \
                               unsigned at_once) {                                                 \
    const uint64_t place = name##_place_of(table, key, hash, at_once);                             \
    return place & NF_NOWHERE ? 0 : &table->slots[place].value;                                    \
  }                                                                                                \
  NF_SELDOM Value *name##_insert_key(struct Table *table, const Key *key, uint32_t hash) {         \
    const uint32_t home = hash & table->mask;                                                      \
    for (uint32_t at = home; at < home + nf_window; ++at)                                          \
      if (!table->tags[at]) {                                                                      \
        table->tags[at] = name##_tag(hash);                                                        \
        table->slots[at].key = *key;                                                               \
        ++table->count;                                                                            \
        ++table->inserted;                                                                         \
        return &table->slots[at].value;                                                            \
      }                                                                                            \
    return 0;                                                                                      \
  }                                                                                                \
  /* Inserts a missing key; returns its value, to be written; null if its window is full. */       \
  NF_INLINE Value *name##_insert(struct Table *table, const Key *key, uint32_t hash) {             \
    const Key copy = *key; /* Keeps the key itself in registers. */                                \
    return name##_insert_key(table, &copy, hash);                                                  \
  }                                                                                                \
  /* `value` is the result of find() for the key; a map in BPF uses the key. */                    \
  NF_INLINE void name##_remove(struct Table *table, const Key *key, const Value *value) {          \
    (void)key;                                                                                     \
    const struct Table##Slot *slot =                                                               \
        (const struct Table##Slot *)((const uint8_t *)value -                                      \
                                     __builtin_offsetof(struct Table##Slot, value));               \
    table->tags[slot - table->slots] = 0;                                                          \
    --table->count;                                                                                \
  }                                                                                                \
  /* Removes entries for which `is_over`, from the next `slots` slots; advances `cursor`. */       \
  static inline void name##_sweep(struct Table *table, uint32_t *cursor, uint32_t slots,           \
                                  int (*is_over)(const Key *, const Value *, void *),              \
                                  void *context) {                                                 \
    for (; slots > 0; --slots) {                                                                   \
      const uint32_t at = *cursor;                                                                 \
      *cursor = at < table->mask + nf_window ? at + 1 : 0;                                         \
      if (table->tags[at] && is_over(&table->slots[at].key, &table->slots[at].value, context))     \
        name##_remove(table, &table->slots[at].key, &table->slots[at].value);                      \
    }                                                                                              \
  }

#endif
