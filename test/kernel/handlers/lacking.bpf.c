/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Has a program type that few kernels are built with: infrared remote controls. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

SEC("lirc_mode2") SARTOR_HANDLER int decode(__u32 *sample) {
  return sartor_enum("pulse", *sample >> 24, 0, 1) ? 1 : 0;
}

char _license[] SEC("license") = "GPL";
