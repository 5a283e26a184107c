// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_GIVEN_BACK_H
#define SARTOR_RUNTIME_GIVEN_BACK_H

#include <memory>

#include "base/mutex.h"

namespace sartor {

/// Drops a reference to what plain functions of bindings are part of: once no thread is inside of a
/// handler that it was in before now, as runtime::retire(), and each has gone on since, so that
/// none is between the end of its section and the end of such a function. Returns at once: that is
/// done on a thread of its own, as the last that has a runtime waits for the one that retires.
/// Thread-safe.
void give_back(std::shared_ptr<const void> object);

/// To be called before the first give_back(), and where no base::Mutex is held.
void begin_giving_back() SARTOR_EXCLUDES(base::any_mutex);

} // namespace sartor

#endif
