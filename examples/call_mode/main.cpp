// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

int main() {
  sartor::Runtime runtime;
  std::atomic<bool> wrong = false;

  // Two threads do the work. An exploration runs different variants on them side by side.
  const auto work = [&, sum = runtime.handler<&checksum>()](const std::stop_token &stop) {
    const std::vector<unsigned char> data(1500, 3);
    while (!stop.stop_requested())
      if (sum(data.data(), data.size(), 1) != 3 * data.size())
        wrong = true;
  };
  const std::jthread first(work);
  const std::jthread second(work);

  sartor::ExplorerOptions options;
  options.unguarded = {"lanes"}; // any number of lanes gives the same sum
  sartor::Explorer explorer(runtime, sartor::Objective::cost_of_call("checksum"), options);
  const sartor::Decision decision = explorer.explore();
  std::cout << "best: " << decision.configuration << ", " << 1 / decision.estimate.mean
            << " ticks per call\n";
  return wrong ? 1 : 0;
}
