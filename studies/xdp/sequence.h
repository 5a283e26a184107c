/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_STUDY_XDP_SEQUENCE_H
#define SARTOR_STUDY_XDP_SEQUENCE_H

#include <linux/types.h>

enum SequenceLimit { sequence_length = 4096 };

/* A packet of minimum size. */
struct SequencePacket {
  __u64 words[8];
};

#endif
