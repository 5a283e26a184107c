// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

int main() {
  sartor::Runtime runtime;
  auto sum = runtime.handler<&checksum>();
  std::atomic<std::uint64_t> sums = 0;

  // The work of the program, which only has to count its results.
  std::jthread work([&](const std::stop_token &stop) {
    const std::vector<unsigned char> data(1 << 14, 3);
    for (; !stop.stop_requested(); ++sums)
      if (sum(data.data(), data.size(), 8) != 3 * data.size())
        std::cerr << "wrong\n";
  });

  sartor::ExplorerOptions options;
  options.choices["lanes"] = {1, 4, 8, 16};
  options.unguarded = {"lanes"};    // any number of lanes gives the same sum
  options.error_probability = 0.01; // of a choice worse than the best by more than the tolerance
  options.tolerance = 0.05;         // 5 %; smaller differences are ties
  options.most_samples = 500;       // at most, of one configuration in a race
  options.regression_budget = 0.1;  // costs at most 10 % of the throughput

  sartor::Explorer explorer(runtime, sartor::Objective::rate_of(sums, "sums", "sums/s"), options);
  const sartor::Decision decision = explorer.explore();
  std::cout << "best: " << decision.configuration << ", " << decision.estimate.low << " to "
            << decision.estimate.high << ' ' << decision.unit << " (" << decision.objective
            << ")\n";
}
