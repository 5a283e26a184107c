// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/fork_time.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>

#include <fcntl.h>
#include <unistd.h>
#include <x86intrin.h>

#include "runtime/verify/isolated_call.h"

namespace sartor::runtime {

namespace {

// Typical of processors of 2020: 300 µs, and 70 ns for each page.
constexpr std::chrono::nanoseconds kProcess{300'000};
constexpr std::chrono::nanoseconds kEachPage{70};
/// The weight of the newest measurement.
constexpr double kNewest = 0.25;
/// The share of `factor` that is left when it has kept a call from being made.
constexpr double kLeft = 0.9;

/// The measured time as a multiple of the guess; 0 before the first measurement.
std::atomic<double> factor = 0;

/// Reads the second number of /proc/self/statm. Returns 0 if that is not possible.
std::size_t resident_pages() {
  const int error = errno;
  std::array<char, 128> text{};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? 0 : read(file, text.data(), text.size());
  if (file >= 0)
    close(file);
  errno = error;
  const char *end = text.data() + std::max<ssize_t>(size, 0);
  const char *blank = std::find(static_cast<const char *>(text.data()), end, ' ');
  std::size_t pages = 0;
  if (blank != end)
    std::from_chars(blank + 1, end, pages);
  return pages;
}

std::chrono::nanoseconds guess() {
  return kProcess + kEachPage * static_cast<std::int64_t>(resident_pages());
}

} // namespace

ForkTimer::ForkTimer() : begin_(std::chrono::steady_clock::now()), begin_ticks_(__rdtsc()) {}

void ForkTimer::done(std::uint64_t ticks) const {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
  const auto all = static_cast<double>(__rdtsc() - begin_ticks_);
  const double others = std::clamp(1 - static_cast<double>(ticks) / all, 0.0, 1.0);
  const double now = took * others / guess();
  const double before = factor.load(std::memory_order_relaxed);
  factor.store(before == 0 ? now : before + kNewest * (now - before), std::memory_order_relaxed);
}

std::chrono::nanoseconds expected_fork_time() {
  const double known = factor.load(std::memory_order_relaxed);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(guess() * (known == 0 ? 1 : known));
}

void lower_expected_fork_time() {
  const double known = factor.load(std::memory_order_relaxed);
  if (known > 1)
    factor.store(known * kLeft, std::memory_order_relaxed);
}

} // namespace sartor::runtime
