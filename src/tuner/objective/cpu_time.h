// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_CPU_TIME_H
#define SARTOR_TUNER_OBJECTIVE_CPU_TIME_H

#include <map>

#include <sys/types.h>

namespace sartor {

/// Seconds of CPU that this process has taken, as Linux brings them up to date with every tick of
/// its scheduler: to some milliseconds for threads that run.
double process_seconds();
/// That the calling thread has taken, exactly.
double own_seconds();

/// Seconds of CPU that the other threads of this process have taken, each asked for by itself,
/// which is exact, and takes some microseconds for a dozen. For use by one thread.
class CpuTime {
public:
  /// Threads that have come since count for what they take from now on.
  void find_threads();
  /// Never less than before; of threads that are gone, what they had taken when last asked. Of
  /// the whole process where threads cannot be listed.
  double seconds();

private:
  std::map<pid_t, double> threads_; ///< When last asked.
  double gone_ = 0; ///< Of those that are not there any more, less what was before they were found.
};

} // namespace sartor

#endif
