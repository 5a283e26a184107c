// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_LIFE_H
#define SARTOR_BASE_LIFE_H

#include <memory>

#include "base/mutex.h"

namespace sartor::base {

/// What lives in this process and has to know when it forks or exits. Called in no particular
/// order, one after the other; none of these may add or remove one.
class Resident {
public:
  virtual ~Resident() = default;
  /// Threads that may have locks of other libraries', LLVM's for one, should come to where they
  /// have none. Locks of base::Mutex are all free when fork() happens.
  virtual void before_fork() {}
  virtual void after_fork_in_parent() {}
  /// No other thread is here any more. Repairs its own state; starts no thread, as that one could
  /// meet residents that are not repaired yet, and calls none of them.
  virtual void after_fork_in_child() {}
  /// All residents are repaired. Fails or continues what was under way. Threads that other
  /// residents have started may run already: locks are needed again.
  virtual void resume_in_child() {}
  /// Static objects are about to be destroyed, of libraries too: what runs must come to an end.
  virtual void exit_begins() {}
  /// It has. Asked again and again, for some seconds.
  virtual bool has_ended() { return true; }
  /// It has not, and nobody waits any longer.
  virtual void is_left() {}
};

/// Thread-safe. From the first on, fork() and exit() are watched. Not with a base::Mutex held:
/// fork() waits for all of those, and meanwhile holds the lock that these two take.
void add(Resident &resident) SARTOR_EXCLUDES(any_mutex);
void remove(Resident &resident) SARTOR_EXCLUDES(any_mutex);

/// The process is on its way out: free nothing that threads may still run or read.
bool is_exiting();

/// Has the exit watched anew, by what comes to be destroyed before all that has been made so far:
/// LLVM makes its static objects when they are first used. Does nothing the fifth time.
void watch_exit();

/// How often this process, and those that it is a child of, have forked. It changes while nobody
/// has a base::Mutex. Thread-safe.
unsigned forks();
/// Of how many processes it is a descendant since the library is there: each child has another
/// number than its parent.
unsigned generation();

/// Keeps something until the process has gone. As add(), not with a base::Mutex held.
void keep(std::shared_ptr<const void> object) SARTOR_EXCLUDES(any_mutex);

} // namespace sartor::base

#endif
