// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_CALL_ROTATION_H
#define SARTOR_RUNTIME_DISPATCH_CALL_ROTATION_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sartor/runtime.hpp>

#include "base/result.h"
#include "runtime/dispatch/rotation_plan.h"

namespace sartor {

/// The interface to a runtime for measuring by calls: one handler's entry, in which variants are
/// rotated. For use by one thread.
class CallRotation {
public:
  /// Ends the rotation.
  virtual ~CallRotation() = default;

  /// The result of start().
  struct Started {
    std::uint64_t plan = 0;
    /// For each configuration, the reason why it is not rotated, if any; its lane is then unused.
    /// Lane numbers do not change.
    std::vector<std::optional<Failure>> failures;
  };

  virtual void activate(const Configuration &configuration) = 0;
  /// Starts a rotation that replaces the previous one: lane 0 is the active variant, lane n the
  /// variant of the n-th of `others`, from 1. Fails if nothing can be rotated at all.
  virtual Result<Started> start(std::span<const Configuration> others, double budget) = 0;
  /// Ends the rotation and activates the variant that was active before, or was activated
  /// meanwhile.
  virtual void stop() = 0;
  /// Excludes a lane from the rotation, or includes it again.
  virtual void set_out(std::size_t lane, bool is_out) = 0;
  /// Appends the samples since the last call. Returns false if the rotation has been ended because
  /// an invariant that a variant depends on was revoked.
  [[nodiscard]] virtual bool take(std::vector<runtime::RotationSample> &samples) = 0;

  /// The program's clock, and how to wait on it: simulated programs have their own.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point now() const {
    return std::chrono::steady_clock::now();
  }
  virtual void wait(std::chrono::nanoseconds for_so_long) {
    std::this_thread::sleep_for(for_so_long);
  }

  /// The name of the handler.
  [[nodiscard]] virtual std::string handler() const = 0;
  virtual void log(std::string_view event, std::string_view fields) = 0;
};

/// Creates the rotation of the handler with this name; an empty name stands for the only handler
/// that has points. Throws unknown_handler, bad_objective, point_not_specializable. `runtime` must
/// outlive it.
std::unique_ptr<CallRotation> rotate_calls(Runtime &runtime, const std::string &handler);

} // namespace sartor

#endif
