// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_WARY_H
#define SARTOR_LOADER_FRONT_WARY_H

#include "front/stack.h"

namespace sartor::front {

/// True if a configuration may state that programs start as planned or not at all: one of the
/// configuration files that apply contains a word for it. Only the planner can parse them; this
/// check counts if the planner is not asked or does not answer. `settings`: the options of this
/// run, each ended by '\n'.
bool may_be_required(const Stack &stack, const char *settings);

} // namespace sartor::front

#endif
