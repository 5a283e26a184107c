// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/after_calls.h"

#include <atomic>
#include <cerrno>

#include "base/environment.h"

namespace sartor::base {

namespace {

std::atomic<void (*)()> work_after_calls = nullptr;

} // namespace

bool checks_calls() {
  static const bool on = base::is_on("SARTOR_CHECK_CALLS", base::read_environment().check_calls,
                                     /*otherwise=*/false);
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
  } catch (...) { // out of memory
  }
  errno = error;
}

} // namespace sartor::base
