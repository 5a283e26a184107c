// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_WORKSHOP_H
#define SARTOR_JIT_WORKSHOP_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "jit/code.h"
#include "jit/worker.h"
#include "observe/result.h"

namespace sartor::jit {

/// Something to be compiled.
struct Job {
  using Outcome = Result<std::unique_ptr<Code>>;

  std::uint64_t request = 0; ///< Jobs of newer requests come first.
  /// Asked right before work starts: false if nothing needs to be made any more (then neither
  /// `work` nor `done` is called).
  std::function<bool()> begin;
  std::function<Outcome(Worker &, Worker::Deadline)> work;
  /// Called exactly once, on some thread of the workshop's.
  std::function<void(Outcome)> done;
};

/// The thread that compiles, off everybody's critical path. When LLVM gives up with a fatal error,
/// or a compile does not come back in time, the job fails and another thread takes over; the one
/// that is lost stays parked, for it cannot be ended. Thread-safe.
class Workshop {
public:
  using MakeWorker = std::function<std::unique_ptr<Worker>()>;

  Workshop(MakeWorker make_worker, std::chrono::milliseconds timeout);
  /// Waits for the compile under way; jobs that have not begun are failed.
  ~Workshop();
  Workshop(const Workshop &) = delete;
  Workshop &operator=(const Workshop &) = delete;

  void submit(Job job);

  struct State;

private:
  std::shared_ptr<State> state_;
};

} // namespace sartor::jit

#endif
