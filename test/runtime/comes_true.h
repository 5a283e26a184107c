// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_COMES_TRUE_H
#define SARTOR_TEST_RUNTIME_COMES_TRUE_H

#include <chrono>
#include <functional>
#include <thread>

/// So long at most, whatever the machine is at.
constexpr std::chrono::seconds kPatience{60};

/// Waits for what happens in the background; false if it does not.
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
