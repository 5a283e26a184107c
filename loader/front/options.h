// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_OPTIONS_H
#define SARTOR_LOADER_FRONT_OPTIONS_H

#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

struct Options {
  Line settings; ///< For whoever plans: each ends with '\n'.
  bool is_in_place = false;
  bool is_strict = false;
  /// Told by the front itself: with what is planned, the program has found other libraries.
  bool is_again = false;
  size_t used = 1; ///< How many arguments are not the program's.
};

/// Ends this process if they make no sense, or ask for help.
Options read_options(const Stack &stack);

} // namespace sartor::front

#endif
