// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FRONT_CACHE_H
#define SARTOR_FRONT_CACHE_H

#include "front/plan.h"
#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

/// What a run is started with.
struct Run {
  const char *path;     ///< Of the program.
  const char *settings; ///< Options for whoever plans, each ended by '\n'.
};

/// The image file of a program, which is planned first if it is not in the cache or not up to date
/// any more: by `sartor-ld-plan`, which is beside the front. -1 if there is none: the stock loader
/// is to start the program, and who plans has said why. Ends this process if the program is
/// refused.
int open_image(const Run &run, const Stack &stack, Plan &plan);

} // namespace sartor::front

#endif
