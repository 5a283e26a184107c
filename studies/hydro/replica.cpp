// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replica.h"

#include <algorithm>
#include <ctime>
#include <thread>

#include "problems.h"

namespace hydro {

namespace {

/// Of this thread.
double cpu_seconds_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

Replica::Replica(const Kernels &kernels, const Options &options, Tile tile)
    : simulation_(Grid(options.cells, options.cells, 1, 1), corner, kernels, tile),
      period_(options.period), next_(std::chrono::steady_clock::now()) {}

double Replica::run(std::uint64_t iterations) {
  const double before = cpu_seconds();
  for (std::uint64_t i = 0; i < iterations; ++i)
    iterate();
  return (cpu_seconds() - before) / static_cast<double>(iterations);
}

void Replica::run(const std::stop_token &stop) {
  while (!stop.stop_requested())
    iterate();
}

void Replica::iterate() {
  std::this_thread::sleep_until(next_);
  // One that is late does not hurry afterwards.
  next_ = std::max(next_, std::chrono::steady_clock::now() - period_) + period_;
  const double begin = cpu_seconds_now();
  simulation_.step();
  simulation_.summary();
  // The count last: a reader never sees an iteration without its cost.
  cpu_seconds_ = cpu_seconds_ + (cpu_seconds_now() - begin);
  ++iterations_;
}

} // namespace hydro
