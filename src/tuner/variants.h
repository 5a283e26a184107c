// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_VARIANTS_H
#define SARTOR_TUNER_VARIANTS_H

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sartor/configuration.hpp>
#include <sartor/error.hpp>

#include "runtime/dispatch/call_rotation.h"

namespace sartor {

/// What an exploration needs of a runtime. For use by one thread.
class Variants {
public:
  virtual ~Variants() = default;
  /// Begins to compile a configuration. Says, whenever it is asked, whether that is done, and
  /// throws Error if it cannot be had.
  virtual std::function<bool()> prepare(const Configuration &configuration) = 0;
  /// Throws Error.
  virtual void put_in_force(const Configuration &configuration) = 0;
  /// The entry of a handler, for its calls to be timed. Throws Error where they cannot be, which
  /// is so unless somebody knows better.
  virtual std::unique_ptr<CallRotation> rotate(const std::string &handler) {
    throw Error({ErrorCode::unknown_handler, handler, "has no entry whose calls could be timed",
                 "measure by the objective"});
  }
  /// To the event log; `fields` is a JSON object's text.
  virtual void log(std::string_view event, std::string_view fields) = 0;
};

} // namespace sartor

#endif
