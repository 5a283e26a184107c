// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/cpu_time.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <time.h>
#include <unistd.h>

namespace sartor {

namespace {

std::optional<double> seconds_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Clock id as the kernel makes it from a thread id: of one thread (4), its time on the CPU (2).
clockid_t clock_of(pid_t thread) {
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U);
}

} // namespace

double process_seconds() { return *seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double own_seconds() { return *seconds_of(CLOCK_THREAD_CPUTIME_ID); }

void CpuTime::find_threads() {
  std::error_code error;
  const pid_t self = gettid();
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc() &&
        thread != self && !threads_.contains(thread))
      if (const auto taken = seconds_of(clock_of(thread))) {
        threads_.emplace(thread, *taken);
        gone_ -= *taken;
      }
  }
}

double CpuTime::seconds() {
  if (threads_.empty())
    return process_seconds();
  double sum = 0;
  for (auto it = threads_.begin(); it != threads_.end();) {
    if (const auto now = seconds_of(clock_of(it->first))) {
      sum += it->second = *now;
      ++it;
    } else {
      gone_ += it->second;
      it = threads_.erase(it);
    }
  }
  return sum + gone_;
}

} // namespace sartor
