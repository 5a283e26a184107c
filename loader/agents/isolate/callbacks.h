// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_CALLBACKS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_CALLBACKS_H

namespace sartor::isolate {

/// From now on threads that end leave what they are inside of.
void follow_threads();

} // namespace sartor::isolate

#endif
