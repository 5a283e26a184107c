/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The verifier accepts the generic code, and rejects a variant with another value for the
 * length. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

struct bytes {
  __u8 byte[16];
};
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct bytes);
} table SEC(".maps");

SEC("xdp") SARTOR_HANDLER int reach(struct xdp_md *ctx) {
  const __u8 *data = (void *)(long)ctx->data;
  const __u32 key = 0;
  const struct bytes *bytes = bpf_map_lookup_elem(&table, &key);
  if (data + 1 > (const __u8 *)(long)ctx->data_end || !bytes)
    return XDP_DROP;
  const __u32 at = sartor_enum("at", data[0] & 15, 3, 15, 4000);
  return bytes->byte[at] ? XDP_PASS : XDP_TX;
}

char _license[] SEC("license") = "GPL";
