// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_PLANNER_H
#define SARTOR_LOADER_FRONT_PLANNER_H

#include "front/cache.h"
#include "front/stack.h"

namespace sartor::front {

/// What is to be planned.
struct Request {
  const Run &run;
  const char *image; ///< Where it goes; nullptr: it is only asked whether it may be left alone.
  uint64_t key;
  bool is_patient; ///< The program waits for it however long it takes.
};

enum class Planned {
  image,   ///< It is there.
  stock,   ///< The stock loader is to start the program; why has been said.
  refused, ///< It must not be started; why has been said.
  later,   ///< It takes too long, or somebody else is at it: the next start will have it.
  nothing, ///< Whoever plans is not there, or has crashed.
};

/// Has a program planned by `sartor-ld-plan`, which lies beside the front: in a session of its own,
/// with nothing of the program's open, and without what the environment tells the stock loader,
/// which is for the program. It goes on if nobody waits for it any more.
Planned plan(const Request &request, const Stack &stack);

/// Whether a program that nothing is planned for must not be started then, as it is configured.
bool must_be_planned(const Run &run, const Stack &stack);

} // namespace sartor::front

#endif
