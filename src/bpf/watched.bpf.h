/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which maps are watched, and where their versions stand. */
#ifndef SARTOR_BPF_WATCHED_BPF_H
#define SARTOR_BPF_WATCHED_BPF_H

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

const volatile __u64 versions_bytes = 8;

/* Whether it is watched. */
static __always_inline int bump(__u32 map) {
  const __u32 first = 0;
  const __u32 *place = bpf_map_lookup_elem(&watched, &map);
  if (!place)
    return 0;
  const __u32 at = *place & ~7U; /* a whole word, which the verifier wants to see */
  char *words = bpf_map_lookup_elem(&versions, &first);
  if (words && at <= versions_bytes - sizeof(__u64))
    __sync_fetch_and_add((__u64 *)(words + at), 1);
  return 1;
}

#endif
