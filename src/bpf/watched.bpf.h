/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The watched maps, and the positions of their versions. */
#ifndef SARTOR_BPF_WATCHED_BPF_H
#define SARTOR_BPF_WATCHED_BPF_H

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 256);
  __type(key, __u32);   /* a map's id */
  __type(value, __u32); /* the offset of its version */
} watched SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, __u64); /* the loading process sets the size of the shared map */
} versions SEC(".maps");

const volatile __u64 versions_bytes = 8;

/* Increments a map's version. Returns whether it is watched. */
static __always_inline int bump(__u32 map) {
  const __u32 first = 0;
  const __u32 *place = bpf_map_lookup_elem(&watched, &map);
  if (!place)
    return 0;
  const __u32 at = *place & ~7U; /* a whole word, as the verifier requires */
  char *words = bpf_map_lookup_elem(&versions, &first);
  if (words && at <= versions_bytes - sizeof(__u64))
    __sync_fetch_and_add((__u64 *)(words + at), 1);
  return 1;
}

#endif
