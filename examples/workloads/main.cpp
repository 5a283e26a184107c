// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

#include <sartor/sartor.hpp>

namespace {

using namespace std::chrono_literals;

/// Returns when the explorer has decided for `base`.
void wait_for(const sartor::Explorer &explorer, std::uint64_t base) {
  const sartor::Configuration expected{{"base", base}};
  for (;; std::this_thread::sleep_for(10ms))
    if (const auto decision = explorer.decision(); decision && decision->configuration == expected)
      return;
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
  sartor::Explorer explorer =
      sartor::autotune(runtime, sartor::Objective::rate_of(sums, "digit sums"));

  wait_for(explorer, 10);
  std::cout << "by day: " << runtime.configuration() << '\n';
  base = 16;
  wait_for(explorer, 16);
  std::cout << "by night: " << runtime.configuration() << '\n';
  base = 10;
  wait_for(explorer, 10); // activated at once, then verified
  std::cout << "by day: " << runtime.configuration() << '\n';
}
