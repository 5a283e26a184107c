// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_KEPT_REQUEST_H
#define SARTOR_RUNTIME_JIT_KEPT_REQUEST_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/compiler/compiler.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "remote/protocol/recorded_request.h"

namespace sartor::runtime {

/// A request that code was made for, from which it can be made again elsewhere.
struct KeptRequest {
  core::Context context; ///< Without the invariant memory.
  bool has_memory = false;
  std::weak_ptr<core::InvariantMemory> memory; ///< Not kept alive by this.
  std::vector<remote::RecordedRequest::Call> calls;
  std::string symbol;
  core::Purpose purpose;
  std::string llvm;   ///< Version.
  std::string mutant; ///< The mutant (SARTOR_MUTANT) that a compiler library for tests has made.
  /// Returns the name of a quasi-invariant by its number; empty for other invariants.
  std::function<std::string(std::uint64_t)> quasi_invariant_name;

  /// The content of a recorded request's file. To be called without a lock. Fails with
  /// unreadable_memory, also if the memory's content has been dropped.
  [[nodiscard]] Result<std::string> serialized(const core::HandlerModule &module) const;
};

} // namespace sartor::runtime

#endif
