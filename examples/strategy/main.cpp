// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"
#include "hill_climb.h"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

namespace {

/// The order in which the hill is climbed; the generic code, which sets nothing, is not on it.
std::unique_ptr<sartor::Strategy> climb(const sartor::SearchSpace &space) {
  std::vector<sartor::Configuration> ordered;
  for (const auto &candidate : space.all())
    if (candidate.find("lanes"))
      ordered.push_back(candidate);
  std::sort(ordered.begin(), ordered.end(), [](const auto &left, const auto &right) {
    return left.find("lanes")->values < right.find("lanes")->values;
  });
  return std::make_unique<HillClimb>(std::move(ordered));
}

} // namespace

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
  options.strategy = climb;
  options.unguarded = {"lanes"}; // any number of lanes gives the same sum
  options.slice = std::chrono::milliseconds(10);
  sartor::Explorer explorer(runtime, sartor::Objective::rate_of(sums, "sums"), options);
  const sartor::Decision decision = explorer.explore();
  std::cout << "best: " << decision.configuration << ", " << decision.estimate.mean
            << " sums per second\n";
  return wrong ? 1 : 0;
}
