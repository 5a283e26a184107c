// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_MAKING_H
#define SARTOR_RUNTIME_ASSUMPTIONS_MAKING_H

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>

#include "base/mutex.h"

namespace sartor::runtime {

/// What variants have taken to be made, by the facts that they lean on: a variant that leans on
/// several is counted for each. A fact gets other numbers as time goes by; what was begun under an
/// earlier one still counts. Thread-safe.
class Making {
public:
  struct Taken {
    std::uint64_t variants = 0;
    std::chrono::nanoseconds time{};
  };
  static Making &instance();

  /// A fact's number is `now`; `before` is 0, or what it was.
  void number(std::uint64_t before, std::uint64_t now);
  void forget(std::uint64_t number);
  void note(std::span<const std::uint64_t> promises, std::chrono::nanoseconds time);
  [[nodiscard]] Taken of(std::uint64_t number) const;

private:
  struct Known {
    Taken taken;
    std::deque<std::uint64_t> numbers; ///< The latest, in order.
  };

  mutable base::Mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Known>> by_number_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor::runtime

#endif
