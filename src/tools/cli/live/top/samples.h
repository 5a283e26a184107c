// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_TOP_SAMPLES_H
#define SARTOR_TOOLS_CLI_LIVE_TOP_SAMPLES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace sartor::cli {

/// Instruction pointers of the running threads of another process, sampled by the kernel's perf
/// events (perf_event_open(2), software event cpu-clock) in user mode.
class Samples {
public:
  /// Fails with not_permitted.
  static Result<Samples> open(pid_t process);
  ~Samples();
  Samples(Samples &&) noexcept;
  Samples &operator=(Samples &&) = delete;

  /// The samples since the last call; begins to sample threads that are new.
  std::vector<std::uint64_t> take();

private:
  struct Thread;

  explicit Samples(pid_t process);
  Result<void> add(pid_t thread);
  void look_for_threads();

  pid_t process_;
  std::map<pid_t, Thread> threads_;
};

} // namespace sartor::cli

#endif
