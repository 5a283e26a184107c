/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looks up values in maps of all kinds that can be invariant. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

#include "lookups.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 8);
  __type(key, __u32);
  __type(value, struct Found);
} list SEC(".maps");
SARTOR_READ_MOSTLY(list);

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1024);
  __type(key, struct Key);
  __type(value, struct Found);
} table SEC(".maps");
SARTOR_READ_MOSTLY(table);

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(max_entries, 2048);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct Prefix);
  __type(value, struct Found);
} prefixes SEC(".maps");
SARTOR_READ_MOSTLY(prefixes);

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16);
  __type(key, __u32);
  __type(value, __u64);
} counted SEC(".maps");
SARTOR_READ_MOSTLY(counted);

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16);
  __type(key, __u32);
  __type(value, __u32);
} unmarked SEC(".maps");

static __always_inline void find_by_key(struct Lookups *in) {
  struct Key key = in->key;
  const struct Found *found = bpf_map_lookup_elem(&table, &key);
  in->by_key = found ? found->word + found->byte : 1;
}

SEC("xdp") SARTOR_HANDLER int look(struct xdp_md *ctx) {
  struct Lookups *in = (void *)(long)ctx->data;
  if ((void *)(in + 1) > (void *)(long)ctx->data_end)
    return XDP_DROP;
  __u64 sum = 0;
  for (__u32 i = 0; i < 8; ++i) {
    const __u32 key = i;
    const struct Found *each = bpf_map_lookup_elem(&list, &key);
    if (each && each->byte)
      sum += each->word * (i + 1);
  }
  in->sum = sum;
  const __u32 index = in->index;
  const struct Found *listed = bpf_map_lookup_elem(&list, &index);
  in->by_index = listed ? listed->word : 2;
  find_by_key(in);
  struct Prefix prefix = {in->length, in->address};
  const struct Found *longest = bpf_map_lookup_elem(&prefixes, &prefix);
  in->by_prefix = longest ? longest->word : 3;
  prefix.length = 32;
  longest = bpf_map_lookup_elem(&prefixes, &prefix);
  in->by_address = longest ? longest->word : 4;
  return sartor_assume("even", in->sum % 2 == 0) ? XDP_PASS : XDP_TX;
}

static __attribute__((noinline)) __u64 word_of(__u32 index) {
  const __u32 key = index;
  const struct Found *found = bpf_map_lookup_elem(&list, &key);
  return found ? found->word : 0;
}

SEC("xdp") SARTOR_HANDLER int generated(struct xdp_md *ctx) {
  struct Lookups *in = (void *)(long)ctx->data;
  if ((void *)(in + 1) > (void *)(long)ctx->data_end)
    return XDP_DROP;
  in->sum = sartor_custom("word", "words", word_of, in->index);
  return XDP_PASS;
}

/* Changes a map as a whole, or a value in place. */
SEC("xdp") int write(struct xdp_md *ctx) {
  struct Lookups *in = (void *)(long)ctx->data;
  if ((void *)(in + 1) > (void *)(long)ctx->data_end)
    return XDP_DROP;
  struct Key key = in->key;
  struct Found value = {in->sum, 7, {}};
  const __u32 index = in->index;
  if (in->length == 0)
    return bpf_map_update_elem(&table, &key, &value, BPF_ANY) ? XDP_DROP : XDP_PASS;
  if (in->length == 1)
    return bpf_map_delete_elem(&table, &key) ? XDP_DROP : XDP_PASS;
  struct Found *listed = bpf_map_lookup_elem(&list, &index);
  if (listed)
    listed->word = in->sum;
  return XDP_PASS;
}

/* Changes the map that it reads. */
SEC("xdp") SARTOR_HANDLER int count(struct xdp_md *ctx) {
  struct Lookups *in = (void *)(long)ctx->data;
  if ((void *)(in + 1) > (void *)(long)ctx->data_end)
    return XDP_DROP;
  const __u32 key = in->index;
  const __u64 one = 1;
  __u64 *found = bpf_map_lookup_elem(&counted, &key);
  if (found)
    ++*found;
  else
    bpf_map_update_elem(&counted, &key, &one, BPF_ANY);
  found = bpf_map_lookup_elem(&counted, &key);
  in->sum = found ? *found : 0;
  return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
