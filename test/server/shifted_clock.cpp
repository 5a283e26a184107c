// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A library to preload: it shifts the time of day by a century.
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

namespace {
constexpr time_t kShift = 100L * 365 * 24 * 3600;
}

extern "C" {
int clock_gettime(clockid_t clock, timespec *now) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (result == 0 && clock == CLOCK_REALTIME)
    now->tv_sec += kShift;
  return result;
}

time_t time(time_t *now) noexcept {
  timespec here{};
  clock_gettime(CLOCK_REALTIME, &here);
  if (now)
    *now = here.tv_sec;
  return here.tv_sec;
}
}
