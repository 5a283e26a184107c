/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_STUDY_XDP_LIVE_FRAME_H
#define SARTOR_STUDY_XDP_LIVE_FRAME_H

#include <linux/types.h>

enum LiveLimit { live_frames = 4096 };

struct LiveFrame {
  __u64 words[8];
};

#endif
