// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_BESIDE_H
#define SARTOR_REMOTE_PROTOCOL_BESIDE_H

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/life.h"
#include "base/mutex.h"
#include "remote/protocol/child.h"
#include "remote/protocol/connector.h"

namespace sartor::remote {

/// The compiler in a process of its own, which is started when it is first needed, and again when
/// it was lost. A child that this process forks off starts one of its own. Never destroyed.
class Beside final : public Connector, base::Resident {
public:
  static Beside &instance();

  Result<Connection> connect(const Channel::GoOn &go_on) override;
  Failure why_lost() override;
  void give_up() override;
  Result<void> prepare(const Pipeline &pipeline) override;
  [[nodiscard]] bool is_server() const override { return false; }
  unsigned era() override { return era_; }

private:
  using Clock = std::chrono::steady_clock;

  Beside() = default;
  Result<void> start();
  void after_fork_in_child() override;

  base::Mutex mutex_;
  std::atomic<unsigned> era_ = 0;
  std::unique_ptr<Child> child_;
  std::vector<std::unique_ptr<Child>> retired_; ///< Conversations with them may go on.
  std::vector<std::string> plugins_;            ///< What it may read besides its own libraries.
  std::deque<Clock::time_point> ends_;          ///< When it was last found to have gone.
  std::string last_end_;
};

/// The one of this process. Never destroyed.
core::Compiler &compiler_beside();

} // namespace sartor::remote

#endif
