// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_QUARANTINE_COMPILE_FAILURES_H
#define SARTOR_CORE_QUARANTINE_COMPILE_FAILURES_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/compiler/tier.h"
#include "core/quarantine/quarantine.h"
#include "core/quarantine/quarantine_key.h"

namespace sartor::core {

constexpr const char *kCompileFailures = "compile_failures";

/// A request, as far as its compilation can be refused.
struct CompileRequest {
  QuarantineKey key;
  Tier tier = Tier::full;
  std::string variant; ///< The subject of errors.
  std::string passes;  ///< Of the pipeline.
};

/// Requests whose compilation has exceeded a limit. They are not compiled again for ten minutes,
/// then for twice as long after each further failure, at most for a day. Caches may answer them
/// meanwhile. They are known to all processes of a user, by files in `<state>/compile_failures`.
/// Other limits make other keys, so a request with a higher limit is compiled at once. Thread-safe.
class CompileFailures {
public:
  using Now = std::function<std::int64_t()>;

  /// `state` as of state_directory(). If it is empty, only failures in this process are known,
  /// which also holds if another user can write there. `limits` is a text that identifies them.
  /// `now` returns seconds since 1970.
  CompileFailures(std::filesystem::path state, std::string limits, Now now = {});

  /// The error if a request is not to be compiled now.
  [[nodiscard]] std::optional<Failure> refusal(const CompileRequest &request);
  /// Records that a compilation failed, if the reason is a limit. Fails with file_error.
  Result<void> add(const CompileRequest &request, ErrorCode why);
  /// A compilation in this process exceeded its limit and cannot be stopped: no request for the
  /// handler is compiled with these passes for a while.
  void add_hung(const CompileRequest &request);

private:
  struct Known {
    unsigned count = 0;
    std::int64_t last = 0;
    ErrorCode why = ErrorCode::compile_timeout;
  };

  [[nodiscard]] base::ContentKey key_of(const CompileRequest &request) const;
  [[nodiscard]] std::int64_t seconds_left(const Known &known) const;

  Quarantine files_;
  const std::string limits_;
  const Now now_;
  base::Mutex mutex_;
  std::map<base::ContentKey, Known> known_ SARTOR_GUARDED_BY(mutex_);
  /// By handler and passes.
  std::map<std::pair<std::string, std::string>, Known> hung_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor::core

#endif
