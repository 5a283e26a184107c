// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CLAIMS_H
#define SARTOR_TUNER_CLAIMS_H

#include <map>
#include <string>
#include <thread>

#include <sartor/runtime.hpp>

#include "base/mutex.h"

namespace sartor {

/// The runtimes that are explored, and by which objective: two explorers would put each other's
/// trials out of force.
class Claims {
public:
  static Claims &instance();

  /// Throws already_exploring.
  void take(const Runtime &runtime, const std::string &objective);
  void give_back(const Runtime &runtime);
  /// In a child process, which has none of its parent's threads but the one that forked.
  void forget_other_threads();

private:
  struct Claim {
    std::string objective;
    std::thread::id taken_by;
  };
  base::Mutex mutex_;
  std::map<const Runtime *, Claim> claims_;
};

/// One for as long as it exists.
class ClaimInScope {
public:
  ClaimInScope(const Runtime &runtime, const std::string &objective) : runtime_(runtime) {
    Claims::instance().take(runtime, objective);
  }
  ~ClaimInScope() { Claims::instance().give_back(runtime_); }
  ClaimInScope(const ClaimInScope &) = delete;
  ClaimInScope &operator=(const ClaimInScope &) = delete;

private:
  const Runtime &runtime_;
};

} // namespace sartor

#endif
