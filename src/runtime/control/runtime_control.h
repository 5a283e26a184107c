// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_RUNTIME_CONTROL_H
#define SARTOR_RUNTIME_CONTROL_RUNTIME_CONTROL_H

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <sartor/runtime.hpp>

#include "runtime/control/controlled.h"

namespace sartor {

/// Implements the commands of operators for a runtime. Registered with Control for as long as it
/// exists.
class RuntimeControl final : public ControlledRuntime {
public:
  explicit RuntimeControl(Runtime::Impl &impl);
  ~RuntimeControl() override;
  RuntimeControl(const RuntimeControl &) = delete;
  RuntimeControl &operator=(const RuntimeControl &) = delete;

  [[nodiscard]] nlohmann::ordered_json status() override;
  [[nodiscard]] nlohmann::ordered_json variants() override;
  [[nodiscard]] std::optional<nlohmann::ordered_json> dump(const std::string &variant) override;
  Result<void> switch_off(const std::string &name) override;
  Result<void> switch_on(const std::string &name) override;
  Result<void> pin(const Configuration &configuration) override;
  Result<void> unpin() override;

private:
  void note(const char *did, const std::string &name);

  Runtime::Impl &impl_;
  const unsigned id_; ///< Unique in the process.
};

} // namespace sartor

#endif
