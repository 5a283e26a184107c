/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sees who changes maps, in system calls and in other programs, and increments their versions
 * before and after. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct bpf_map {
  __u32 id;
} __attribute__((preserve_access_index));

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 256);
  __type(key, __u32);   /* a map's number */
  __type(value, __u32); /* where its version stands */
} watched SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, __u64); /* as long as the map that is shared, says who loads it */
} versions SEC(".maps");

const volatile __u32 versions_bytes = 8;

static __always_inline int bump(const struct bpf_map *map) {
  const __u32 number = map->id;
  const __u32 first = 0;
  const __u32 *place = bpf_map_lookup_elem(&watched, &number);
  if (!place)
    return 0;
  const __u32 at = *place;
  char *words = bpf_map_lookup_elem(&versions, &first);
  if (words && at <= versions_bytes - sizeof(__u64))
    __sync_fetch_and_add((__u64 *)(words + at), 1);
  return 0;
}

#define SARTOR_WATCH(function)                                                                     \
  SEC("fentry/" #function)                                                                         \
  int BPF_PROG(before_##function, struct bpf_map *map) { return bump(map); }                       \
  SEC("fexit/" #function)                                                                          \
  int BPF_PROG(after_##function, struct bpf_map *map) { return bump(map); }

SARTOR_WATCH(array_map_update_elem)
SARTOR_WATCH(htab_map_update_elem)
SARTOR_WATCH(htab_map_delete_elem)
SARTOR_WATCH(trie_update_elem)
SARTOR_WATCH(trie_delete_elem)

char _license[] SEC("license") = "GPL";
