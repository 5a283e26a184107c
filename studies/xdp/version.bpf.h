/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables that a program writes while handlers read them: a sequence lock whose writer increments
 * a version before and after it writes. Handlers do not wait for it. */
#ifndef SARTOR_STUDY_XDP_VERSION_BPF_H
#define SARTOR_STUDY_XDP_VERSION_BPF_H

#include <linux/types.h>

#include <bpf/bpf_helpers.h>

static __always_inline __u64 begin_reading(const __u64 *version) {
  const __u64 begun = *(const volatile __u64 *)version;
  barrier();
  return begun;
}

/* Returns whether data read since `begun` may be inconsistent. On processors that reorder loads,
 * barrier() is not enough. */
static __always_inline int has_changed(const __u64 *version, __u64 begun) {
  barrier();
  return begun % 2 || *(const volatile __u64 *)version != begun;
}

#endif
