// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_PLANNER_H
#define SARTOR_LOADER_FRONT_PLANNER_H

#include "front/cache.h"
#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

/// A request to plan a program.
struct Request {
  const Run &run;
  const char *image; ///< Path of the image; nullptr: only judge whether a plan is required.
  uint64_t key;
  bool is_patient; ///< The program waits for the plan, however long it takes.
  bool is_wary;    ///< The program waits until it is known whether it must start as planned.
};

enum class Planned {
  image,    ///< The image exists.
  stock,    ///< The stock loader is to start the program; the reason has been reported.
  refused,  ///< The program must not be started; the reason has been reported.
  later,    ///< Planning takes too long, or another process is at it: the next start will have the
            ///< image.
  no_files, ///< No descriptor is left for messages from the planner.
  no_proc,  ///< The planner's path is not known, since there is no /proc.
  nothing,  ///< The planner is missing or has crashed.
  lost,     ///< The planner has crashed, and the program must start as planned.
};

/// Plans a program with `sartor-ld-plan`, which is installed next to the front. It runs in a
/// session of its own, without the program's open files, and without the environment variables for
/// the stock loader, which are for the program. It continues after the program stops waiting for
/// it.
Planned plan(const Request &request, const Stack &stack);

/// True if the configuration forbids to start the program when it cannot be planned.
bool must_be_planned(const Run &run, const Stack &stack);

/// Computes the path of a program in the folder of the front. Returns false if that is not known.
bool find_sibling(const char *name, Line &path);

} // namespace sartor::front

#endif
