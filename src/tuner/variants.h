// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_VARIANTS_H
#define SARTOR_TUNER_VARIANTS_H

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sartor/configuration.hpp>
#include <sartor/error.hpp>

#include "runtime/dispatch/call_rotation.h"

namespace sartor {

/// Interface of a runtime for an exploration. For use by one thread.
class Variants {
public:
  virtual ~Variants() = default;
  /// Begins to compile a configuration. The returned function says whether the compilation is done,
  /// and throws Error if it has failed.
  virtual std::function<bool()> prepare(const Configuration &configuration) = 0;
  /// Throws Error.
  virtual void activate(const Configuration &configuration) = 0;
  /// Rotation of a handler's entry, which times its calls. Throws Error if they cannot be timed,
  /// which is the default.
  virtual std::unique_ptr<CallRotation> rotate(const std::string &handler) {
    throw Error({ErrorCode::unknown_handler, handler, "has no entry whose calls could be timed",
                 "measure by the objective"});
  }
  /// The time by which compilations are timed.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point compile_clock() const {
    return std::chrono::steady_clock::now();
  }
  /// Writes to the event log; `fields` is a JSON object's text.
  virtual void log(std::string_view event, std::string_view fields) = 0;
};

} // namespace sartor

#endif
