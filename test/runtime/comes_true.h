// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_COMES_TRUE_H
#define SARTOR_TEST_RUNTIME_COMES_TRUE_H

#include <chrono>
#include <functional>
#include <thread>

/// The time limit for any event, also on a loaded machine.
constexpr std::chrono::seconds kPatience{60};

/// Waits until the condition is true; returns false at the time limit.
inline bool comes_true(const std::function<bool()> &condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

#endif
