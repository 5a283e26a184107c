// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_CALLBACKS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_CALLBACKS_H

namespace sartor::isolate {

/// From now on, threads leave their domains when they end.
void follow_threads();

} // namespace sartor::isolate

#endif
