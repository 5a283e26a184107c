// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_OPTIONS_H
#define SARTOR_LOADER_FRONT_OPTIONS_H

#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

struct Options {
  Line settings; ///< Options for the planner: each ends with '\n'.
  bool is_in_place = false;
  bool is_strict = false;
  /// Set by the front itself: the program has found other libraries than planned.
  bool is_again = false;
  size_t used = 1; ///< The number of arguments that are the front's, not the program's.
};

/// Reads the front's options. Ends this process if they are invalid or ask for help.
Options read_options(const Stack &stack);

} // namespace sartor::front

#endif
