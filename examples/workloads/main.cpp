// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <thread>

#include <pthread.h>

#include <sartor/sartor.hpp>

namespace {

using namespace std::chrono_literals;

/// Returns when the explorer has decided for `base`, or after a minute: where measurements are too
/// noisy, it stays undecided.
void wait_for(const sartor::Explorer &explorer, std::uint64_t base) {
  const sartor::Configuration expected{{"base", base}};
  const auto end = std::chrono::steady_clock::now() + 1min;
  for (; std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(10ms))
    if (const auto decision = explorer.decision(); decision && decision->configuration == expected)
      return;
}

/// Processor time of a thread in seconds, which does not depend on what else the machine does.
std::function<double()> seconds_of(std::jthread &thread) {
  clockid_t clock;
  pthread_getcpuclockid(thread.native_handle(), &clock);
  return [clock] {
    timespec time;
    clock_gettime(clock, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  };
}

} // namespace

int main() {
  sartor::Runtime runtime;
  auto sum = runtime.handler<&digit_sum>();
  std::atomic<std::uint64_t> sums = 0;
  std::atomic<std::uint64_t> base = 10;

  std::jthread work([&](const std::stop_token &stop) {
    for (std::uint64_t i = 0; !stop.stop_requested(); i += 1'000'003) {
      sum(i, base);
      ++sums;
    }
  });

  runtime.instrument({{"base", 1}}); // the values distinguish workloads
  sartor::Explorer explorer = sartor::autotune(
      runtime, sartor::Objective::cost_per(seconds_of(work), [&] { return double(sums); }));

  wait_for(explorer, 10);
  std::cout << "by day: " << runtime.configuration() << '\n';
  base = 16;
  wait_for(explorer, 16);
  std::cout << "by night: " << runtime.configuration() << '\n';
  base = 10;
  wait_for(explorer, 10); // activated at once, then verified
  std::cout << "by day: " << runtime.configuration() << '\n';
}
