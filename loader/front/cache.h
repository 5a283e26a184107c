// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_CACHE_H
#define SARTOR_LOADER_FRONT_CACHE_H

#include "front/fallback.h"
#include "front/plan.h"
#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

/// What a run is started with.
struct Run {
  const char *path;     ///< Of the program.
  const char *settings; ///< Options for whoever plans, each ended by '\n'.
  bool is_again;        ///< What is planned has been found to be wrong.
};

/// The image file of a program, open, and its plan. If it is not in the cache or not up to date any
/// more, the program is planned first. If there is none, or none in time, returns not: the program
/// is given to the stock loader, or refused.
/// `path`: where it is.
int open_image(const Run &run, const Stack &stack, const Fallback &fallback, Plan &plan,
               Line &path);

} // namespace sartor::front

#endif
