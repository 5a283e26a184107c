// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/compile_attempt.h"

#include <utility>

#include "base/reports.h"
#include "core/cache/request_key.h"
#include "core/space/readable_name.h"

namespace sartor::runtime {

// A failed server is no reason against the compiler in this process, or another server.
std::string text_of_limits(const Options &options) {
  return std::to_string(static_cast<int>(options.compiler)) + " " +
         options.compiler_server.address + " " + std::to_string(options.compile_timeout.count()) +
         " " + std::to_string(options.compile_memory_bytes);
}

CompileAttempt::CompileAttempt(std::shared_ptr<core::CompileFailures> failures,
                               CompilerLocation where,
                               std::shared_ptr<const core::HandlerModule> module,
                               core::Context context, Pipeline pipeline, core::Tier tier)
    : failures_(std::move(failures)), where_(where), module_(std::move(module)),
      context_(std::move(context)), pipeline_(std::move(pipeline)), tier_(tier) {}

const core::QuarantineKey &CompileAttempt::key() {
  if (!key_)
    key_ = core::quarantine_key(*module_, context_, pipeline_, core::made_here());
  return *key_;
}

core::CompileRequest CompileAttempt::request() {
  return {key(), tier_, core::readable_name(context_.handler) + context_.configuration.text(),
          pipeline_.passes};
}

std::optional<Failure> CompileAttempt::begin() {
  if (auto refused = failures_->refusal(request()))
    return refused;
  is_running_ = true;
  has_begun_ = true;
  return std::nullopt;
}

void CompileAttempt::fail(const Failure &failure) {
  // A server may have gone, or taken its time, because of others.
  if (!has_begun_ ||
      (where_ == CompilerLocation::server && failure.code != ErrorCode::compile_memory))
    return;
  if (is_running_ && failure.code == ErrorCode::compile_timeout)
    failures_->add_hung(request());
  if (auto added = failures_->add(request(), failure.code); !added)
    base::report("quarantine_unusable", added.error());
}

} // namespace sartor::runtime
