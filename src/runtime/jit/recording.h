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

/// Where requests are recorded, if anywhere.
struct RecordAt {
  std::filesystem::path directory = {}; ///< Empty: nowhere.
  /// The name of a fact by its number; empty for other promises.
  std::function<std::string(std::uint64_t)> fact_name = {};
};

/// A request on its way into a file, from which `sartor explain --request` makes it again.
class Recording {
public:
  /// All must outlive it.
  Recording(const RecordAt &where, const core::Context &context, const core::HandlerModule &module);
  ~Recording();
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  /// What is to be drafted: the same, but that it is noted which calls are made.
  [[nodiscard]] const core::Context &context() const { return noted_; }

  /// Once that is done, however it went. Requests that are the same have one file. Fails with
  /// file_error, unreadable_memory.
  Result<void> write(const std::string &symbol, const core::Purpose &purpose) const;

private:
  class Memory;

  const RecordAt &where_;
  const core::HandlerModule &module_;
  core::Context noted_;
  std::shared_ptr<Memory> memory_; ///< Null if nothing is promised.
};

} // namespace sartor::runtime

#endif
