// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_FORK_TIME_H
#define SARTOR_RUNTIME_VERIFY_FORK_TIME_H

#include <chrono>
#include <cstdint>

namespace sartor::runtime {

/// Measures the time that an isolated call takes without the code itself, from its construction
/// until done(), for expected_fork_time().
class ForkTimer {
public:
  ForkTimer();
  /// `ticks` is the time of the code, of the processor's time stamp counter.
  void done(std::uint64_t ticks) const;

private:
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t begin_ticks_;
};

} // namespace sartor::runtime

#endif
