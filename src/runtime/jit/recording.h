// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_RECORDING_H
#define SARTOR_RUNTIME_JIT_RECORDING_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "core/compiler/compiler.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "runtime/jit/kept_request.h"

namespace sartor::runtime {

/// The directory in which requests are recorded, if any.
struct RecordAt {
  std::filesystem::path directory = {}; ///< Empty if requests are not recorded.
  /// Returns the name of a quasi-invariant by its number; empty for other invariants.
  std::function<std::string(std::uint64_t)> quasi_invariant_name = {};
};

/// A request that is kept, or written to a file, from which `sartor explain --request` makes it
/// again.
class Recording {
public:
  /// `module` must outlive it.
  Recording(RecordAt where, const core::Context &context, const core::HandlerModule &module);
  ~Recording();
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  /// The context to be drafted: a copy that records which calls are made.
  [[nodiscard]] const core::Context &context() const { return noted_; }

  /// The request, after the draft has succeeded or failed.
  [[nodiscard]] KeptRequest keep(const std::string &symbol, const core::Purpose &purpose) const;
  /// Writes the file, if there is a directory. Equal requests have one file. Fails with file_error,
  /// unreadable_memory.
  Result<void> write(const std::string &symbol, const core::Purpose &purpose) const;

private:
  class Memory;

  const RecordAt where_;
  const core::HandlerModule &module_;
  core::Context noted_;
  std::shared_ptr<Memory> memory_; ///< Null if there is no invariant memory.
};

} // namespace sartor::runtime

#endif
