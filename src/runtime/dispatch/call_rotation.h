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

/// What measuring by calls needs of a runtime: one handler's entry, in which variants are rotated.
/// For use by one thread.
class CallRotation {
public:
  /// Ends the rotation.
  virtual ~CallRotation() = default;

  /// What is being rotated.
  struct Started {
    std::uint64_t plan = 0;
    /// Of each configuration, why it is not; its lane is left out. The others' lanes have their
    /// places.
    std::vector<std::optional<Failure>> failures;
  };

  virtual void put_in_force(const Configuration &configuration) = 0;
  /// Rotates from now on, in place of what was rotated: lane 0 is what is in force, lane n the
  /// variant of the n-th of `others`, from 1. Fails where nothing can be rotated at all.
  virtual Result<Started> start(std::span<const Configuration> others, double budget) = 0;
  /// What was in force when it started, or was put in force meanwhile, is again.
  virtual void stop() = 0;
  /// Whether a lane gets no turns.
  virtual void set_out(std::size_t lane, bool is_out) = 0;
  /// Adds what was measured since the last call. False if somebody has ended the rotation: a
  /// promise that a variant leans on was taken back.
  [[nodiscard]] virtual bool take(std::vector<runtime::RotationSample> &samples) = 0;

  /// The program's time, and how to let some of it pass: simulated ones have their own.
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

/// Of a handler by its name, or without a name of the only one with points. Throws
/// unknown_handler, bad_objective, point_not_specializable. `runtime` must outlive it.
std::unique_ptr<CallRotation> rotate_calls(Runtime &runtime, const std::string &handler);

} // namespace sartor

#endif
