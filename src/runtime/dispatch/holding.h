// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_HOLDING_H
#define SARTOR_RUNTIME_DISPATCH_HOLDING_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace sartor::runtime {

/// How many calls have been held, of all entries for one reason.
struct HeldCallers {
  std::atomic<std::uint64_t> callers = 0;
};

/// Whether new calls are to wait for what is put in force next, and how long at most.
struct Holding {
  std::chrono::nanoseconds at_most{}; ///< Zero: they are not.
  std::shared_ptr<HeldCallers> count = {};
};

} // namespace sartor::runtime

#endif
