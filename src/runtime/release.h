// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_RELEASE_H
#define SARTOR_RUNTIME_RELEASE_H

#include <memory>

#include "base/thread/mutex.h"

namespace sartor {

/// Drops a reference to an object that contains plain functions of bindings, once two conditions
/// are met. No thread is inside a handler that it was in before this call, as for
/// runtime::retire(). Each thread has made progress since, so that none is between the end of its
/// section and the end of such a function. Returns at once: a separate thread does this, since the
/// last owner of a runtime waits for the thread that retires. Thread-safe.
void release(std::shared_ptr<const void> object);

/// Must be called before the first release(), where no base::Mutex is held.
void begin_releasing() SARTOR_EXCLUDES(base::any_mutex);

} // namespace sartor

#endif
