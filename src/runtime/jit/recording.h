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

namespace sartor::runtime {

/// The directory in which requests are recorded, if any.
struct RecordAt {
  std::filesystem::path directory = {}; ///< Empty if requests are not recorded.
  /// Returns the name of a quasi-invariant by its number; empty for other invariants.
  std::function<std::string(std::uint64_t)> quasi_invariant_name = {};
};

/// A request that is written to a file, from which `sartor explain --request` makes it again.
class Recording {
public:
  /// All arguments must outlive it.
  Recording(const RecordAt &where, const core::Context &context, const core::HandlerModule &module);
  ~Recording();
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  /// The context to be drafted: a copy that records which calls are made.
  [[nodiscard]] const core::Context &context() const { return noted_; }

  /// Writes the file, after the draft has succeeded or failed. Equal requests have one file. Fails
  /// with file_error, unreadable_memory.
  Result<void> write(const std::string &symbol, const core::Purpose &purpose) const;

private:
  class Memory;

  const RecordAt &where_;
  const core::HandlerModule &module_;
  core::Context noted_;
  std::shared_ptr<Memory> memory_; ///< Null if there is no invariant memory.
};

} // namespace sartor::runtime

#endif
