// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_HOLDING_H
#define SARTOR_RUNTIME_DISPATCH_HOLDING_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace sartor::runtime {

/// The number of calls that have been held, over all entries, for one reason.
struct HeldCallers {
  std::atomic<std::uint64_t> callers = 0;
};

/// Specifies whether new calls wait for the next activation, and the time limit.
struct Holding {
  std::chrono::nanoseconds at_most{}; ///< Zero if calls do not wait.
  std::shared_ptr<HeldCallers> count = {};
};

} // namespace sartor::runtime

#endif
