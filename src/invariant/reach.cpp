// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/reach.h"

#include <mutex>

#include "dispatch/leaning.h"
#include "dispatch/retire.h"
#include "invariant/registry.h"

namespace sartor::invariant {

const Result<specialize::Reached> &Reach::read() {
  const std::lock_guard lock(reading_);
  if (!outcome_) {
    outcome_ = registry_.read(*this);
    is_read_.store(true, std::memory_order_release);
  }
  return *outcome_;
}

std::optional<std::uint64_t> Reach::call(std::span<const std::uint64_t> promises,
                                         const specialize::NativeCall &call) {
  std::optional<std::uint64_t> result;
  while_holding(promises, [&] { result = specialize::call_native(call); });
  return result;
}

bool Reach::while_holding(std::span<const std::uint64_t> promises,
                          const std::function<void()> &work) {
  const dispatch::Leaning leaning({promises.begin(), promises.end()});
  const dispatch::Reading reading;
  // Taken back later, they are waited for; taken back before, they do not hold.
  if (!registry_.hold(promises))
    return false;
  work();
  return true;
}

} // namespace sartor::invariant
