/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detects changes of maps, by system calls and by other programs, and increments the maps' versions
 * before and after. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct bpf_map {
  __u32 id;
} __attribute__((preserve_access_index));

#include "bpf/watched.bpf.h"

#define SARTOR_WATCH(function)                                                                     \
  SEC("fentry/" #function)                                                                         \
  int BPF_PROG(before_##function, struct bpf_map *map) {                                           \
    bump(map->id);                                                                                 \
    return 0;                                                                                      \
  }                                                                                                \
  SEC("fexit/" #function)                                                                          \
  int BPF_PROG(after_##function, struct bpf_map *map) {                                            \
    bump(map->id);                                                                                 \
    return 0;                                                                                      \
  }

SARTOR_WATCH(array_map_update_elem)
SARTOR_WATCH(htab_map_update_elem)
SARTOR_WATCH(htab_map_delete_elem)
SARTOR_WATCH(htab_map_lookup_and_delete_elem)
SARTOR_WATCH(htab_map_lookup_and_delete_batch)
SARTOR_WATCH(trie_update_elem)
SARTOR_WATCH(trie_delete_elem)

char _license[] SEC("license") = "GPL";
