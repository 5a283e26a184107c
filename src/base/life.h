// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_LIFE_H
#define SARTOR_BASE_LIFE_H

#include <memory>

#include "base/thread/mutex.h"

namespace sartor::base {

/// An object that must react when its process forks or exits. Its functions are called in no
/// particular order, one after the other; none of them may add or remove a resident.
class Resident {
public:
  virtual ~Resident() = default;
  /// Threads that may hold locks of other libraries, LLVM's for one, should reach a point without
  /// any. All locks of base::Mutex are free when fork() happens.
  virtual void before_fork() {}
  virtual void after_fork_in_parent() {}
  /// No other thread exists in the child. Repairs its own state; starts no thread, because that one
  /// could meet residents that are not repaired yet, and calls no other resident.
  virtual void after_fork_in_child() {}
  /// All residents are repaired. Fails or continues the work under way. Threads that other
  /// residents have started may run already: locks are needed again.
  virtual void resume_in_child() {}
  /// Static objects are about to be destroyed, including those of libraries: running work must end.
  virtual void exit_begins() {}
  /// True if the work has ended. Polled for some seconds.
  virtual bool has_ended() { return true; }
  /// The work has not ended, and exit() waits no longer.
  virtual void is_left() {}
};

/// Thread-safe. The first call registers handlers of fork() and exit(). No base::Mutex may be held:
/// fork() waits for all of those, and meanwhile holds the lock that these two take.
void add(Resident &resident) SARTOR_EXCLUDES(any_mutex);
void remove(Resident &resident) SARTOR_EXCLUDES(any_mutex);

/// True if the process is exiting: memory that threads may still use must not be freed.
bool is_exiting();

/// Registers another exit handler, which runs before the destructors of all objects created so far:
/// LLVM creates its static objects when they are first used. Does nothing the fifth time.
void watch_exit();

/// Number of forks of this process, and of its ancestors. Changes only while no thread holds a
/// base::Mutex. Thread-safe.
unsigned forks();
/// Number of ancestor processes since the library was loaded: each child has another number than
/// its parent.
unsigned generation();

/// Keeps an object alive until the process ends. Like add(), not with a base::Mutex held.
void keep(std::shared_ptr<const void> object) SARTOR_EXCLUDES(any_mutex);

} // namespace sartor::base

#endif
