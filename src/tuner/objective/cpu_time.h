// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_CPU_TIME_H
#define SARTOR_TUNER_OBJECTIVE_CPU_TIME_H

#include <map>

#include <sys/types.h>

namespace sartor {

/// Seconds of CPU that this process has used, as Linux updates them with every tick of its
/// scheduler: accurate to some milliseconds for running threads.
double process_seconds();
/// Seconds of CPU that the calling thread has used, exactly.
double own_seconds();

/// Seconds of CPU that the other threads of this process have used. Each thread is queried
/// separately, which is exact, and takes some microseconds for a dozen. For use by one thread.
class CpuTime {
public:
  /// Adds new threads; their CPU time counts from now on.
  void find_threads();
  /// Never less than before; a thread that has ended counts with its last known time. If threads
  /// cannot be listed, the time of the whole process.
  double seconds();

private:
  std::map<pid_t, double> threads_; ///< Time when last queried.
  double gone_ = 0; ///< Time of threads that have ended, less their time before they were found.
};

} // namespace sartor

#endif
