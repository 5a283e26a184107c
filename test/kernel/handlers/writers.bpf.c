/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A handler that looks up a value, and programs that change the map in every way that the kernel
 * allows. All of them write or delete the key 7. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

struct entry {
  __u32 value;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16);
  __type(key, __u32);
  __type(value, struct entry);
} rules SEC(".maps"), others SEC(".maps");
SARTOR_READ_MOSTLY(rules);

/* Separate from the other maps, because one program hides the address of this one. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16);
  __type(key, __u32);
  __type(value, struct entry);
} hidden SEC(".maps");
SARTOR_READ_MOSTLY(hidden);

SEC("xdp") SARTOR_HANDLER int reader(struct xdp_md *ctx) {
  __u32 key = 7;
  struct entry *found = bpf_map_lookup_elem(&rules, &key);
  return found ? found->value : 100;
}

SEC("xdp") SARTOR_HANDLER int reader_of_hidden(struct xdp_md *ctx) {
  __u32 key = 7;
  struct entry *found = bpf_map_lookup_elem(&hidden, &key);
  return found ? found->value : 100;
}

static __always_inline int put_inline(void *map, __u32 value) {
  __u32 key = 7;
  struct entry entry = {value};
  return bpf_map_update_elem(map, &key, &entry, 0);
}
static __noinline int put(void *map, __u32 value) {
  __u32 key = 7;
  struct entry entry = {value};
  return bpf_map_update_elem(map, &key, &entry, 0);
}
static __noinline int put_deeply(void *map, __u32 value) { return put(map, value + 1); }
static __noinline void store(struct entry *entry, __u32 value) { entry->value = value; }
static __noinline void store_deeply(struct entry *entry, __u32 value) { store(entry, value + 1); }
static long set_each(void *map, __u32 *key, struct entry *entry, void *unused) {
  entry->value = 30;
  return 0;
}
static long delete_each(void *map, __u32 *key, struct entry *entry, void *unused) {
  bpf_map_delete_elem(map, key);
  return 0;
}
static long update_in_loop(__u32 index, void *unused) {
  put_inline(&rules, 31 + index);
  return 0;
}

SEC("xdp") int write_inline(struct xdp_md *ctx) {
  put_inline(&rules, 21);
  return 2;
}
SEC("xdp") int write_by_call(struct xdp_md *ctx) {
  put(&others, 1);
  put(&rules, 22);
  return 2;
}
SEC("xdp") int write_by_calls(struct xdp_md *ctx) {
  put_deeply(&others, 1);
  put_deeply(&rules, 23);
  return 2;
}
SEC("xdp") int write_to_chosen(struct xdp_md *ctx) {
  put_inline(ctx->ingress_ifindex < 10000 ? (void *)&rules : (void *)&others, 25);
  return 2;
}
SEC("xdp") int write_in_place(struct xdp_md *ctx) {
  __u32 key = 7;
  struct entry *found = bpf_map_lookup_elem(&rules, &key);
  if (found)
    found->value = 26;
  return 2;
}
SEC("xdp") int write_to_chosen_in_place(struct xdp_md *ctx) {
  __u32 key = 7;
  void *map = ctx->ingress_ifindex < 10000 ? (void *)&rules : (void *)&others;
  struct entry *found = bpf_map_lookup_elem(map, &key);
  if (found)
    __sync_fetch_and_add(&found->value, 100);
  return 2;
}
SEC("xdp") int write_in_function(struct xdp_md *ctx) {
  __u32 key = 7;
  struct entry *found = bpf_map_lookup_elem(&rules, &key);
  if (found)
    store_deeply(found, 27);
  return 2;
}
SEC("xdp") int write_each(struct xdp_md *ctx) {
  bpf_for_each_map_elem(&rules, set_each, 0, 0);
  return 2;
}
SEC("xdp") int delete_in_callback(struct xdp_md *ctx) {
  bpf_for_each_map_elem(&rules, delete_each, 0, 0);
  return 2;
}
SEC("xdp") int write_in_loop(struct xdp_md *ctx) {
  bpf_loop(3, update_in_loop, 0, 0);
  return 2;
}
SEC("xdp") int delete_by_pointer(struct xdp_md *ctx) {
  __u32 key = 7;
  void *map = &rules;
  bpf_map_delete_elem(map, &key);
  return 2;
}
SEC("xdp") int copy_into(struct xdp_md *ctx) {
  __u32 key = 7;
  struct entry *found = bpf_map_lookup_elem(&rules, &key);
  if (found)
    bpf_probe_read_kernel(found, sizeof *found, found);
  if (found)
    __builtin_memset(found, 1, sizeof *found);
  return 2;
}

/* Keeps the pointer to a value on the stack, through code that the compiler cannot analyze. */
SEC("xdp") int write_out_of_sight(struct xdp_md *ctx) {
  __u32 key = 7;
  struct entry *found = bpf_map_lookup_elem(&hidden, &key);
  if (!found)
    return 2;
  asm volatile("*(u32 *)(%0 + 0) = 40" : : "r"(found) : "memory");
  return 2;
}

char _license[] SEC("license") = "GPL";
