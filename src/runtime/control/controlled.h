// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_CONTROLLED_H
#define SARTOR_RUNTIME_CONTROL_CONTROLLED_H

#include <optional>
#include <string>

#include <sartor/configuration.hpp>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace sartor {

/// A runtime, as operators see and control it. Called on any thread, without a lock held.
class ControlledRuntime {
public:
  virtual ~ControlledRuntime() = default;
  /// An object with the fields of one of `runtimes` in the reference of the control socket.
  [[nodiscard]] virtual nlohmann::ordered_json status() = 0;
  /// A list of its variants.
  [[nodiscard]] virtual nlohmann::ordered_json variants() = 0;
  /// The machine code of a variant; nothing if it has no variant of this name.
  [[nodiscard]] virtual std::optional<nlohmann::ordered_json> dump(const std::string &variant) = 0;
  /// `name`: a handler, a label, or, if it is empty, all handlers. Fails with unknown_handler.
  virtual Result<void> switch_off(const std::string &name) = 0;
  virtual Result<void> switch_on(const std::string &name) = 0;
  /// Activates a configuration, and keeps it active whatever the program requests. Fails with the
  /// errors of Space::check().
  virtual Result<void> pin(const Configuration &configuration) = 0;
  /// Activates what the program requested last. Fails with bad_argument if nothing is pinned.
  virtual Result<void> unpin() = 0;
};

/// An explorer. Called on any thread, without a lock held.
class ControlledExplorer {
public:
  virtual ~ControlledExplorer() = default;
  /// An object with the fields of one of `explorers` in the reference of the control socket.
  [[nodiscard]] virtual nlohmann::ordered_json status() = 0;
  /// Makes it explore now. False if it does not run, or explores already.
  virtual bool explore() = 0;
  /// An operator has overridden something in a runtime, or has undone that.
  virtual void overrides_changed() = 0;
};

/// A BpfRuntime, which another library has. Called on any thread, without a lock held.
class ControlledKernelHandlers {
public:
  virtual ~ControlledKernelHandlers() = default;
  /// The `handlers` of one of `kernel_handlers` in the reference of the control socket.
  [[nodiscard]] virtual nlohmann::ordered_json status() = 0;
};

} // namespace sartor

#endif
