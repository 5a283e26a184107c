// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_AUTOMATIC_AUTOMATIC_TUNER_H
#define SARTOR_TUNER_AUTOMATIC_AUTOMATIC_TUNER_H

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/explorer.hpp>
#include <sartor/module.h>
#include <sartor/runtime.hpp>

#include "base/life.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "tuner/automatic/kept_decisions.h"
#include "tuner/automatic/quasi_constants.h"

namespace sartor {

/// Tunes the automatic handlers of one program or shared library (`sartor-cc -fsartor-auto`) on a
/// thread of its own: counts the values of their points, explores each handler with the frequent
/// ones by the cost of its calls, and keeps what is measured to be better, with a disk cache also
/// for the next start. Later rounds look again at handlers whose values have changed. Never
/// destroyed.
class AutomaticTuner final : base::Resident {
public:
  /// `modules` must stay loaded.
  explicit AutomaticTuner(std::span<const sartor_module> modules);

private:
  void start();
  void run(const std::stop_token &stop);
  /// One round: counts values, and explores the handlers whose candidates are new. Does
  /// nothing while an operator overrides what is active.
  void tune(const std::stop_token &stop);
  /// Activates what was decided in earlier starts of the program.
  void recall(const std::stop_token &stop);
  void recall(const std::string &handler);
  /// Logs an error, and returns false: the next round tries again.
  bool try_to(const std::function<void()> &work, const std::stop_token &stop);
  /// Counts the values of all automatic points for a while. Empty if stopped.
  std::vector<SampledHandler> sample(const std::stop_token &stop);
  /// Begins to count the values of some points. False if none can be counted.
  bool count_values(std::vector<std::string> labels, const std::stop_token &stop);
  void explore(const SampledHandler &sampled, const std::stop_token &stop);
  /// Explores a handler among candidates, and returns the decision; nothing if stopped.
  std::optional<Decision> decide(const std::string &handler,
                                 const std::vector<Configuration> &candidates,
                                 const std::stop_token &stop);
  void adopt(const Configuration &configuration);
  /// Keeps a decision among these candidates, for the next rounds and the next start.
  void keep(KeptDecision decision, const std::string &handler,
            const std::vector<Configuration> &candidates);
  [[nodiscard]] KeptDecisions kept() const;
  void log(const Failure &failure) const;
  void log(const SampledHandler &sampled, std::string_view outcome,
           const std::optional<Decision> &decision = {}) const;

  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override { stopper_.request_stop(); }
  bool has_ended() override { return !running_; }

  const std::span<const sartor_module> modules_;
  std::atomic<bool> running_ = false;
  std::stop_source stopper_;
  base::Thread thread_;

  // Used by the thread only.
  std::unique_ptr<Runtime> runtime_; ///< Null until the process has used some processor time.
  bool has_recalled_ = false;        ///< True once earlier decisions were looked for.
  /// On the heap: in a child process, no stack of another thread may be used.
  std::unique_ptr<Explorer> explorer_;
  /// Held while the next four change, so that fork() finds them whole: the thread of a child
  /// process uses them, too.
  base::Mutex mutex_;
  Configuration active_;                       ///< The settings of all handlers.
  std::set<std::string> uncounted_;            ///< Labels of points whose values cannot be counted.
  std::map<std::string, Configuration> tried_; ///< The first of the last candidates, by handler.
  std::map<std::string, std::string> logged_;  ///< The last outcome without exploring, by handler.
};

} // namespace sartor

#endif
