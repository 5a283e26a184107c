// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_ISOLATED_PROCESS_H
#define SARTOR_RUNTIME_VERIFY_ISOLATED_PROCESS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/compiler/checked_call.h"
#include "runtime/verify/fork_time.h"
#include "runtime/verify/isolated_area.h"

namespace sartor::runtime {

/// A child process that calls code, from its creation until it was waited for.
class IsolatedProcess {
public:
  struct Task {
    void *native;
    void *variant;   ///< Null: `native` is called once.
    bool sees_reads; ///< Pages that are read are recorded, too.
  };

  /// Runs the child to its end.
  IsolatedProcess(const core::CheckedCall &call, Task task, const IsolationLimits &limits);
  ~IsolatedProcess();
  IsolatedProcess(const IsolatedProcess &) = delete;
  IsolatedProcess &operator=(const IsolatedProcess &) = delete;

  /// Why nothing can be said; empty if at least the first call was made.
  [[nodiscard]] const std::string &failure() const { return failure_; }

  /// Number of calls that were begun.
  [[nodiscard]] std::uint32_t runs() const { return area_->begun; }
  /// How a call has ended.
  [[nodiscard]] IsolatedEnd end(std::uint32_t run) const;
  /// The same for people, as the end of a sentence: "crashes with signal 11 (...)".
  [[nodiscard]] std::string describe(std::uint32_t run) const;
  [[nodiscard]] std::vector<unsigned char> frame(std::uint32_t run) const;
  /// True if a call has ended the process, so that none was made after it: it has crashed, or
  /// overwritten the frames of its callers.
  [[nodiscard]] bool has_ended_process(std::uint32_t run) const {
    return is_lost_ && run + 1 == area_->begun;
  }
  [[nodiscard]] const IsolatedArea &area() const { return *area_; }

private:
  bool make_area(const core::CheckedCall &call, Task task);
  void run();
  /// Returns the status of the process.
  int wait(pid_t child);
  void note_loss(int status);
  [[nodiscard]] std::string why_unprepared() const;

  const IsolationLimits limits_;
  const ForkTimer timer_;
  IsolatedArea *area_ = nullptr;
  void *memory_ = nullptr;
  std::size_t memory_bytes_ = 0;
  unsigned char *stack_end_ = nullptr;
  bool hung_ = false;
  bool is_lost_ = false; ///< The last call that was begun has ended the process.
  std::string failure_;
};

} // namespace sartor::runtime

#endif
