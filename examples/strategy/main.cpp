// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "annealing.h"
#include "handlers.h"

#include <atomic>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

int main() {
  sartor::Runtime runtime;
  auto sum = runtime.handler<&checksum>();
  std::atomic<std::uint64_t> sums = 0;
  std::atomic<bool> wrong = false;

  std::jthread work([&](const std::stop_token &stop) {
    const std::vector<unsigned char> data(1 << 14, 3);
    while (!stop.stop_requested()) {
      if (sum(data.data(), data.size(), 8) != 3 * data.size())
        wrong = true;
      ++sums;
    }
  });

  sartor::ExplorerOptions options;
  options.strategy = [](const sartor::SearchSpace &space) {
    return std::make_unique<Annealing>(space);
  };
  options.unguarded = {"lanes"}; // any number of lanes gives the same sum
  sartor::Explorer explorer(runtime, sartor::Objective::rate_of(sums, "sums", "sums/s"), options);
  const sartor::Decision decision = explorer.explore();
  std::cout << "best: " << decision.configuration << ", " << decision.estimate.mean << ' '
            << decision.unit << '\n';
  return wrong ? 1 : 0;
}
