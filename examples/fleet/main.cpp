// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

#include <sartor/fleet.hpp>
#include <sartor/sartor.hpp>

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

  const char *socket = std::getenv("SIDECAR");
  sartor::FleetOptions fleet;
  fleet.socket = socket ? socket : "/run/sartor/sidecar";
  fleet.study = "checksum";
  fleet.most_trials = 30; // of all replicas together
  fleet.patience = std::chrono::seconds(30);

  sartor::ExplorerOptions options;
  options.unguarded = {"lanes"}; // any number of lanes gives the same sum
  options.strategy = [&](const sartor::SearchSpace &space) {
    return sartor::fleet_search(runtime, space, fleet);
  };
  sartor::Explorer explorer(runtime, sartor::Objective::rate_of(sums, "sums"), options);
  const sartor::Decision decision = explorer.explore();
  std::cout << "best: " << decision.configuration << "\n";
  return wrong ? 1 : 0;
}
