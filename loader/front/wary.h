// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_WARY_H
#define SARTOR_LOADER_FRONT_WARY_H

#include "front/stack.h"

namespace sartor::front {

/// Whether a configuration may say that programs start as planned or not at all: one of those that
/// count has a word of it. Only who plans can read them; where he is not asked, or does not answer,
/// this counts. `settings`: the options of this run, each ended by '\n'.
bool may_be_required(const Stack &stack, const char *settings);

} // namespace sartor::front

#endif
