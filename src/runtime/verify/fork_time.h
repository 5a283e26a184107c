// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_FORK_TIME_H
#define SARTOR_RUNTIME_VERIFY_FORK_TIME_H

#include <chrono>
#include <cstdint>

namespace sartor::runtime {

/// Measures the time that the copy of the process takes, from its construction until its
/// destruction, for expected_fork_time().
class ForkTimer {
public:
  ForkTimer();
  ~ForkTimer();
  ForkTimer(const ForkTimer &) = delete;
  ForkTimer &operator=(const ForkTimer &) = delete;

private:
  std::chrono::nanoseconds guess_;
  std::chrono::steady_clock::time_point begin_;
};

} // namespace sartor::runtime

#endif
