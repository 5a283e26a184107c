// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/saturation.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tuner/limits.h"

namespace sartor {
namespace {

using namespace std::chrono_literals;

/// Threads that compute until the object is destroyed, all on one processor.
class Crowd {
public:
  explicit Crowd(int size) {
    for (int i = 0; i < size; ++i)
      threads_.emplace_back([this] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(0, &one);
        sched_setaffinity(0, sizeof one, &one);
        while (!ends_.load(std::memory_order_relaxed))
          work_.fetch_add(1, std::memory_order_relaxed);
      });
    while (work_ == 0)
      std::this_thread::sleep_for(1ms);
  }
  ~Crowd() {
    ends_ = true;
    for (auto &thread : threads_)
      thread.join();
  }
  Crowd(const Crowd &) = delete;
  Crowd &operator=(const Crowd &) = delete;

  [[nodiscard]] double work() const { return static_cast<double>(work_.load()); }

private:
  std::atomic<bool> ends_ = false;
  std::atomic<std::uint64_t> work_ = 0;
  std::vector<std::thread> threads_;
};

/// Measures until the figures are right, at most ten times: a machine may do something else
/// meanwhile. Returns the last figures.
std::optional<ProcessorUse> use_of(std::chrono::milliseconds look,
                                   const std::function<bool(const ProcessorUse &)> &is_right) {
  std::optional<ProcessorUse> use;
  for (int tries = 0; tries < 10; ++tries) {
    use = processor_use(look, {});
    if (use && is_right(*use))
      break;
  }
  return use;
}

bool is_saturated(const ProcessorUse &use) { return use.busy >= limits::saturated; }

TEST(ProcessorUse, OfAThreadThatComputesIsNearlyAll) {
  const Crowd crowd(1);
  const auto use = use_of(200ms, is_saturated);
  ASSERT_TRUE(use);
  EXPECT_GE(use->busy, limits::saturated);
}

TEST(ProcessorUse, WaitingForAProcessorThatOthersHaveIsNotIdling) {
  const Crowd crowd(4); // each has a quarter of the processor
  const auto use = use_of(200ms, is_saturated);
  ASSERT_TRUE(use);
  EXPECT_GE(use->busy, limits::saturated);
}

TEST(ProcessorUse, OfAProgramThatSleepsIsLow) {
  std::jthread sleeper([](const std::stop_token &stop) {
    while (!stop.stop_requested())
      std::this_thread::sleep_for(1ms);
  });
  const auto use = use_of(100ms, [](const ProcessorUse &each) { return !is_saturated(each); });
  ASSERT_TRUE(use);
  EXPECT_LT(use->busy, limits::saturated);
}

TEST(ProcessorUse, KnowsWhatOtherProgramsTake) {
  std::vector<pid_t> others(std::size_t{2} * std::max(1U, std::thread::hardware_concurrency()));
  for (pid_t &other : others)
    if (other = fork(); other == 0)
      for (;;) // until it is killed
        ;
  const Crowd crowd(static_cast<int>(std::thread::hardware_concurrency()));
  const auto use = use_of(300ms, [](const ProcessorUse &each) {
    return is_saturated(each) && each.lost > limits::most_lost;
  });
  for (const pid_t other : others) {
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
  }
  ASSERT_TRUE(use);
  EXPECT_GE(use->busy, limits::saturated);
  EXPECT_GT(use->lost, limits::most_lost);
}

TEST(ProcessorUse, EndsWhenItIsStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(processor_use(1h, stop.get_token()));
}

TEST(CostOfUnit, CountsWhatOtherThreadsTakeFromTheFirstReadingOn) {
  const Crowd crowd(1);
  Objective cost;
  double first = 1;
  // Only a thread that waits between the two clocks of the first reading sees much.
  for (int tries = 0; tries < 10 && first > 0.01; ++tries) {
    cost = cost_of_unit({.read = [&] { return crowd.work(); }});
    first = cost.read();
  }
  EXPECT_NEAR(first, 0, 0.01);
  double second = first;
  // On a loaded machine the crowd may wait for a processor.
  const auto end = std::chrono::steady_clock::now() + 120s;
  while (second <= first && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(20ms);
    second = cost.read();
  }
  EXPECT_GT(second, first);
}

TEST(CostOfUnit, OfTheObjectivesOwnIsThat) {
  const Objective cost = cost_of_unit({.read = [] { return 1.0; }, .cost = [] { return 7.0; }});
  EXPECT_EQ(cost.read(), 7);
  EXPECT_EQ(cost.per(), 1);
  EXPECT_EQ(cost.direction, Objective::Direction::lower_is_better);
}

} // namespace
} // namespace sartor
