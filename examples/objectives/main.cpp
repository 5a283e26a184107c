// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

using Clock = std::chrono::steady_clock;

int main() {
  sartor::Runtime runtime;
  const auto add = runtime.handler<&add_up>();
  std::atomic<std::uint64_t> added = 0;
  sartor::Histogram latency;

  // The work of the program: numbers arrive by the thousand and are added in batches. The latency
  // of a batch counts from the arrival of its numbers.
  std::jthread work([&](const std::stop_token &stop) {
    const std::vector<std::uint32_t> numbers(8192, 3);
    std::uint64_t sum = 0;
    while (!stop.stop_requested()) {
      const auto came = Clock::now();
      for (std::uint32_t done = 0; done < numbers.size();) {
        const auto left = static_cast<std::uint32_t>(numbers.size()) - done;
        const std::uint32_t batch = add(numbers.data() + done, left, 256, &sum);
        done += batch;
        added += batch;
        latency.record(Clock::now() - came);
      }
    }
  });

  const auto rate = sartor::Objective::rate_of(added, "numbers added");
  const auto p90 = sartor::Objective::percentile_of(latency, 90);
  const auto objective = rate.subject_to(p90, {.most = 0.1}); // seconds

  sartor::ExplorerOptions options;
  options.unguarded = {"batch"}; // any batch size gives the same sum
  options.tolerance = 0.05;
  options.most_samples = 300;
  options.confirm_for = std::chrono::seconds(1);
  const sartor::Decision decision = sartor::Explorer(runtime, objective, options).explore();
  std::cout << "best: " << decision.configuration << ", "
            << (decision.keeps_bounds ? "within the bound" : "not known to keep the bound") << '\n';
}
