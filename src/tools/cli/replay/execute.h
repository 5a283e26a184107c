// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REPLAY_EXECUTE_H
#define SARTOR_TOOLS_CLI_REPLAY_EXECUTE_H

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "core/compiler/compiler.h"
#include "core/compiler/pass_limit.h"
#include "core/difference/difference.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "tools/cli/replay/memory_layout.h"

namespace sartor::cli {

/// A recorded call, ready to be repeated.
struct RecordedCall {
  core::Difference difference;
  std::shared_ptr<const core::HandlerModule> module;
  core::Context context; ///< Of the variant.
  core::Purpose purpose;
  core::InProcessCompiler *compiler;
  MemoryLayout memory;
};

enum class Side : bool { native, variant };

/// The effects of a repeated call.
struct Execution {
  core::Difference::Side effects;
  std::uint64_t fault = 0; ///< The address of a fault.
  core::PassLimit passes;
};

/// Compiles generic code, or the variant with at most `limit.most` optional passes, and makes the
/// call, all in a process that is confined and has limits on its time and memory. Fails as the
/// compiler and Linker::link() do, and with not_permitted if no process can be confined.
Result<Execution> execute(const RecordedCall &call, Side side, const core::PassLimit &limit);

/// True if two calls have different effects. Floating-point numbers may differ in the last bits
/// where the recorded comparison permits that.
bool differ(const core::Difference &shape, const core::Difference::Side &one,
            const core::Difference::Side &other);

} // namespace sartor::cli

#endif
