// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_OUT_OF_PROCESS_H
#define SARTOR_REMOTE_PROTOCOL_OUT_OF_PROCESS_H

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/life.h"
#include "base/thread/mutex.h"
#include "remote/protocol/child.h"
#include "remote/protocol/connector.h"

namespace sartor::remote {

/// The compiler in a process of its own, which is started when it is first needed, and again after
/// it was lost. A forked child of this process starts one of its own. Never destroyed.
class OutOfProcess final : public Connector, base::Resident {
public:
  static OutOfProcess &instance();

  Result<Connection> connect(const Channel::GoOn &go_on) override;
  Failure why_lost() override;
  void give_up() override;
  Result<void> prepare(const Pipeline &pipeline) override;
  [[nodiscard]] bool is_server() const override { return false; }
  unsigned era() override { return era_; }
  [[nodiscard]] unsigned ends_by_limits() const override { return ends_by_limits_; }

private:
  using Clock = std::chrono::steady_clock;

  OutOfProcess() = default;
  Result<void> start();
  void after_fork_in_child() override;

  base::Mutex mutex_;
  std::atomic<unsigned> era_ = 0;
  std::atomic<unsigned> ends_by_limits_ = 0;
  std::unique_ptr<Child> child_;
  std::vector<std::unique_ptr<Child>> retired_; ///< Conversations with them may continue.
  std::vector<std::string> plugins_;   ///< Files that it may read in addition to its own libraries.
  std::deque<Clock::time_point> ends_; ///< The times at which its end was noticed.
  std::string last_end_;
};

/// Returns the compiler of this process. Never destroyed.
core::Compiler &out_of_process_compiler();

} // namespace sartor::remote

#endif
