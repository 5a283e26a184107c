/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_STUDY_XDP_CHECKSUM_BPF_H
#define SARTOR_STUDY_XDP_CHECKSUM_BPF_H

#include <linux/ip.h>

#include <bpf/bpf_helpers.h>

static __always_inline __u16 fold(__u32 sum) {
  sum = (sum & 0xffff) + (sum >> 16);
  return (sum & 0xffff) + (sum >> 16);
}

/* Sums a header without options. */
static __always_inline __u32 sum_of_header(const struct iphdr *ip) {
  const __u16 *words = (const void *)ip;
  __u32 sum = 0;
#pragma unroll
  for (int i = 0; i < (int)sizeof *ip / 2; ++i)
    sum += words[i];
  return sum;
}

static __always_inline int is_header_intact(const struct iphdr *ip) {
  return fold(sum_of_header(ip)) == 0xffff;
}

/* Updates a checksum for a changed word (RFC 1624, equation 3). */
static __always_inline __sum16 updated_checksum(__sum16 checksum, __u16 before, __u16 after) {
  return ~fold((__u16)~checksum + (__u16)~before + after);
}

#endif
