// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CLAIMS_H
#define SARTOR_TUNER_CLAIMS_H

#include <map>
#include <string>
#include <thread>

#include <sartor/runtime.hpp>

#include "base/thread/mutex.h"

namespace sartor {

/// The runtimes that are being explored, each with its objective. Two explorers of one runtime
/// would deactivate each other's trials.
class Claims {
public:
  static Claims &instance();

  /// Claims a runtime. Throws already_exploring.
  void take(const Runtime &runtime, const std::string &objective);
  void release(const Runtime &runtime);
  /// Drops all claims in a child process, which has only the thread that forked.
  void forget_other_threads();

private:
  struct Claim {
    std::string objective;
    std::thread::id taken_by;
  };
  base::Mutex mutex_;
  std::map<const Runtime *, Claim> claims_;
};

/// Holds a claim during its lifetime.
class ClaimInScope {
public:
  ClaimInScope(const Runtime &runtime, const std::string &objective) : runtime_(runtime) {
    Claims::instance().take(runtime, objective);
  }
  ~ClaimInScope() { Claims::instance().release(runtime_); }
  ClaimInScope(const ClaimInScope &) = delete;
  ClaimInScope &operator=(const ClaimInScope &) = delete;

private:
  const Runtime &runtime_;
};

} // namespace sartor

#endif
