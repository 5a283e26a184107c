// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_COMPILE_ATTEMPT_H
#define SARTOR_RUNTIME_JIT_COMPILE_ATTEMPT_H

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include <sartor/options.hpp>

#include "base/result.h"
#include "core/compiler/tier.h"
#include "core/quarantine/compile_failures.h"
#include "core/request/context.h"
#include "core/space/module.h"

namespace sartor::runtime {

/// The text of the limits of compiles for core::CompileFailures.
std::string text_of_limits(const Options &options);

/// One request, as far as it is compiled. If that fails by a limit, the request is not compiled
/// again for a while.
class CompileAttempt {
public:
  CompileAttempt(std::shared_ptr<core::CompileFailures> failures, CompilerLocation where,
                 std::shared_ptr<const core::HandlerModule> module, core::Context context,
                 Pipeline pipeline, core::Tier tier);

  /// Computed once, by the thread that compiles, since it hashes the content of objects.
  const core::QuarantineKey &key();
  /// Called before it is compiled. Returns the error if it must not be.
  std::optional<Failure> begin();
  /// The compiling thread has returned.
  void end() { is_running_ = false; }
  /// It has failed; the compiling thread may not have returned. Does nothing if it was not
  /// compiled.
  void fail(const Failure &failure);

private:
  [[nodiscard]] core::CompileRequest request();

  const std::shared_ptr<core::CompileFailures> failures_;
  const CompilerLocation where_;
  const std::shared_ptr<const core::HandlerModule> module_;
  const core::Context context_;
  const Pipeline pipeline_;
  const core::Tier tier_;
  std::optional<core::QuarantineKey> key_; ///< Does not change once has_begun_.
  std::atomic<bool> has_begun_ = false;
  std::atomic<bool> is_running_ = false;
};

} // namespace sartor::runtime

#endif
