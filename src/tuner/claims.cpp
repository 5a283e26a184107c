// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/claims.h"

#include <mutex>

#include <sartor/error.hpp>

namespace sartor {

Claims &Claims::instance() {
  static auto *instance = new Claims; // explorers may be stopped while the process exits
  return *instance;
}

void Claims::take(const Runtime &runtime, const std::string &objective) {
  const std::scoped_lock lock(mutex_);
  const auto [claim, is_free] =
      claims_.emplace(&runtime, Claim{objective, std::this_thread::get_id()});
  if (!is_free)
    throw Error({ErrorCode::already_exploring, objective,
                 "another explorer works on this runtime, by \"" + claim->second.objective + "\"",
                 "stop that one first, or explore all by one objective"});
}

void Claims::release(const Runtime &runtime) {
  const std::scoped_lock lock(mutex_);
  claims_.erase(&runtime);
}

void Claims::forget_other_threads() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(claims_, [](const auto &claim) {
    return claim.second.taken_by != std::this_thread::get_id();
  });
}

} // namespace sartor
