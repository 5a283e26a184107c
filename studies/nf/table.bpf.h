/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of table.h on a BPF map. Several processors may use it at once. */
#ifndef SARTOR_STUDY_NF_TABLE_BPF_H
#define SARTOR_STUDY_NF_TABLE_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "packet.h"

enum { nf_most_entries = 65536 };

/* Declares the map `name`, and `struct Table` as a placeholder for it. */
#define NF_TABLE(name, Table, Key, Value)                                                          \
  struct {                                                                                         \
    __uint(type, BPF_MAP_TYPE_HASH);                                                               \
    __uint(max_entries, nf_most_entries);                                                          \
    __type(key, Key);                                                                              \
    __type(value, Value);                                                                          \
  } name SEC(".maps");                                                                             \
  struct Table {                                                                                   \
    uint32_t zero;                                                                                 \
  };                                                                                               \
  NF_INLINE uint32_t name##_hash(const struct Table *table, const Key *key) {                      \
    (void)table, (void)key;                                                                        \
    return 0; /* The kernel does this. */                                                          \
  }                                                                                                \
  NF_INLINE void name##_prefetch(const struct Table *table, uint32_t hash) {                       \
    (void)table, (void)hash;                                                                       \
  }                                                                                                \
  NF_INLINE Value *name##_find(const struct Table *table, const Key *key, uint32_t hash,           \
                               unsigned at_once) {                                                 \
    (void)table, (void)hash, (void)at_once;                                                        \
    return bpf_map_lookup_elem(&name, key);                                                        \
  }                                                                                                \
  /* If another processor has inserted the key meanwhile, that entry is kept. */                   \
  NF_INLINE Value *name##_insert(struct Table *table, const Key *key, uint32_t hash) {             \
    const Value value = {0};                                                                       \
    (void)table, (void)hash;                                                                       \
    bpf_map_update_elem(&name, key, &value, BPF_NOEXIST);                                          \
    return bpf_map_lookup_elem(&name, key);                                                        \
  }                                                                                                \
  __attribute__((unused)) NF_INLINE void name##_remove(struct Table *table, const Key *key,        \
                                                       const Value *value) {                       \
    (void)table, (void)value;                                                                      \
    bpf_map_delete_elem(&name, key);                                                               \
  }

#endif
