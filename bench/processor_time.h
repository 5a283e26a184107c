// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_PROCESSOR_TIME_H
#define SARTOR_BENCH_PROCESSOR_TIME_H

#include <ctime>
#include <thread>

#include <pthread.h>

namespace sartor::bench {

/// Returns the time of a CPU-time clock in seconds.
inline double processor_time(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double processor_time_of_process() { return processor_time(CLOCK_PROCESS_CPUTIME_ID); }

inline double processor_time_of(std::jthread &thread) {
  clockid_t clock = 0;
  pthread_getcpuclockid(thread.native_handle(), &clock);
  return processor_time(clock);
}

} // namespace sartor::bench

#endif
