// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_CONTROL_H
#define SARTOR_RUNTIME_CONTROL_CONTROL_H

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/control/event_ring.h"
#include "base/life.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "runtime/control/controlled.h"

namespace sartor {

/// All runtimes and explorers of the process, and the commands by which operators see and control
/// them: see docs/reference/control.md. Thread-safe. Never destroyed.
class Control final : base::Resident {
public:
  static constexpr int kVersion = 1;

  static Control &instance();

  void add(ControlledRuntime &runtime) SARTOR_EXCLUDES(base::any_mutex);
  void add(ControlledExplorer &explorer) SARTOR_EXCLUDES(base::any_mutex);
  void add(ControlledKernelHandlers &handlers) SARTOR_EXCLUDES(base::any_mutex);
  /// Waits until no command uses it.
  void remove(ControlledRuntime &runtime) SARTOR_EXCLUDES(base::any_mutex);
  void remove(ControlledExplorer &explorer) SARTOR_EXCLUDES(base::any_mutex);
  void remove(ControlledKernelHandlers &handlers) SARTOR_EXCLUDES(base::any_mutex);

  /// Answers one request of the control socket, a line of JSON, by a line without its end.
  [[nodiscard]] std::string answer(std::string_view request) SARTOR_EXCLUDES(base::any_mutex);
  /// The answer to the command `status`.
  [[nodiscard]] nlohmann::ordered_json status() SARTOR_EXCLUDES(base::any_mutex);
  /// Where runtimes with a control socket keep their events.
  [[nodiscard]] const std::shared_ptr<base::EventRing> &events() const { return events_; }

private:
  using Json = nlohmann::ordered_json;
  using Command = Result<Json> (Control::*)(const Json &request);
  /// The registered objects; they are not removed while it exists.
  class InUse;

  Control();
  Result<Json> obey(std::string_view request);
  Result<Json> do_status(const Json &request);
  Result<Json> do_variants(const Json &request);
  Result<Json> do_events(const Json &request);
  Result<Json> do_metrics(const Json &request);
  Result<Json> do_dump(const Json &request);
  Result<Json> do_off(const Json &request);
  Result<Json> do_on(const Json &request);
  Result<Json> do_pin(const Json &request);
  Result<Json> do_unpin(const Json &request);
  Result<Json> do_explore(const Json &request);
  Result<Json> do_invalidate(const Json &request);
  /// Applies a change to all runtimes; succeeds if one of them accepts it.
  Result<Json> change(const std::function<Result<void>(ControlledRuntime &)> &how);
  void after_fork_in_child() override;

  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  const std::shared_ptr<base::EventRing> events_ = std::make_shared<base::EventRing>();
  base::Mutex mutex_;
  base::CondVar unused_;
  std::vector<ControlledRuntime *> runtimes_ SARTOR_GUARDED_BY(mutex_);
  std::vector<ControlledExplorer *> explorers_ SARTOR_GUARDED_BY(mutex_);
  /// By their numbers, which begin at 1.
  std::map<unsigned, ControlledKernelHandlers *> kernel_handlers_ SARTOR_GUARDED_BY(mutex_);
  unsigned last_kernel_handlers_ SARTOR_GUARDED_BY(mutex_) = 0;
  unsigned users_ SARTOR_GUARDED_BY(mutex_) = 0; ///< Objects of InUse.
};

} // namespace sartor

#endif
