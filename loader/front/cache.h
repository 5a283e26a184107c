// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_CACHE_H
#define SARTOR_LOADER_FRONT_CACHE_H

#include "front/fallback.h"
#include "front/plan.h"
#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

/// The input of one start of a program.
struct Run {
  const char *path;     ///< Path of the program.
  const char *settings; ///< Options for the planner, each ended by '\n'.
  bool is_again;        ///< The existing plan has been found to be wrong.
  /// The program has behaved differently than by the stock loader: it is not started, and its plan
  /// is replaced by one for the stock loader.
  bool is_different;
};

/// Opens the image file of a program and reads its plan; `path` receives the file's path. The
/// program is planned first if the image is not in the cache or is out of date. If no image can be
/// had in time, the function does not return: the program is given to the stock loader, or refused.
int open_image(const Run &run, const Stack &stack, const Fallback &fallback, Plan &plan,
               Line &path);

} // namespace sartor::front

#endif
