// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/after_calls.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "rights/environment.h"

namespace sartor::engine {

namespace {

constexpr std::array<std::string_view, 4> kOn{"on", "1", "yes", "true"};
constexpr std::array<std::string_view, 5> kOff{"", "off", "0", "no", "false"};

std::atomic<void (*)()> work_after_calls = nullptr;

bool look_up() {
  const auto said = rights::read_environment().check_calls;
  if (!said)
    return false;
  const bool on = std::ranges::find(kOn, *said) != kOn.end();
  if (!on && std::ranges::find(kOff, *said) == kOff.end())
    rights::complain("SARTOR_CHECK_CALLS=" + *said + " is neither on nor off: it stays off");
  return on;
}

} // namespace

bool checks_calls() {
  static const bool on = look_up();
  return on;
}

void set_after_calls(void (*work)()) { work_after_calls = work; }

void after_call() noexcept {
  const auto work = work_after_calls.load(std::memory_order_acquire);
  if (!work)
    return;
  const int error = errno;
  try {
    work();
  } catch (...) { // no memory for it
  }
  errno = error;
}

} // namespace sartor::engine
