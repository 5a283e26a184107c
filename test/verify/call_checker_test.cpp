// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/call_checker.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../without_sanitizers.h"
#include "runtime/dispatch/retire.h"

namespace sartor::runtime {
namespace {

using testing::HasSubstr;

using Function = float (*)();

volatile float global = 1;
volatile float *volatile nowhere = nullptr;

float half() { return 0.5F; }
float almost_half() { return 0.50000006F; }
float half_and_store() {
  global = 2;
  return 0.5F;
}
float crash() {
  *nowhere = 1;
  return 0.5F;
}

class CodeOf final : public Code {
public:
  explicit CodeOf(Function function) : entry_(reinterpret_cast<void *>(function)) {}
  [[nodiscard]] void *entry() const override { return entry_; }
  [[nodiscard]] std::size_t bytes() const override { return 1; }

private:
  void *entry_;
};

/// The difference that is found when a call of a variant is compared with half(), whose last bits
/// do not matter; empty if none is found.
std::string difference_of(Function function) {
  std::string text;
  {
    auto variant = std::make_shared<Variant>();
    variant->code = std::make_unique<CodeOf>(function);
    Entry entry("half", reinterpret_cast<void *>(&half));
    entry.activate(std::move(variant), 1);
    const Verification how{.every = 1};
    base::Bell bell;
    CallChecker checker(entry, how, bell, std::make_shared<CheckerShare>(), {}, {});
    core::Comparability pure;
    pure.how = core::Comparison::pure;
    checker.set_stub(std::make_unique<CodeOf>(half), pure);

    alignas(16) float result = 0.5F; // stays if the call does not return
    core::CheckedCall call{};
    call.call = [](void *code, void *frame) {
      *static_cast<float *>(frame) = reinterpret_cast<Function>(code)();
    };
    call.frame = &result;
    call.frame_bytes = sizeof result;
    call.result_bytes = sizeof result;
    call.inexact_floats = sizeof result;
    using Check = void (*)(void *, const core::CheckedCall *);
    reinterpret_cast<Check>(checker.symbols().at(core::kCheck))(&checker, &call);
    EXPECT_EQ(result, 0.5F);
    if (const auto found = checker.take_difference())
      text = found->text();
  }
  wait_for_retired();
  return text;
}

TEST(CallCheckerTest, TheLastBitsOfNumbersMayDiffer) {
  SARTOR_NEEDS_NO_SANITIZER("a sanitizer's memory cannot be protected");
  EXPECT_EQ(difference_of(almost_half), "");
}

TEST(CallCheckerTest, OtherEffectsMayNotDifferWhereTheLastBitsMay) {
  SARTOR_NEEDS_NO_SANITIZER("a sanitizer's memory cannot be protected");
  EXPECT_THAT(difference_of(half_and_store), HasSubstr("writes other memory"));
  EXPECT_THAT(difference_of(crash), HasSubstr("crashes with signal 11"));
}

// More threads than memories: some get none, while others map theirs for the first time. The thread
// sanitizer makes that last longer.
TEST(ComparisonMemoriesTest, NoTwoThreadsHaveTheSameMemory) {
  constexpr std::size_t kThreads = 8;
  constexpr int kRounds = 1500;
  std::optional<ComparisonMemories> memories;
  std::barrier begin(kThreads, [&]() noexcept { memories.emplace(); });
  std::array<std::atomic<const ComparisonMemory *>, kThreads> held{};
  std::atomic<int> shared = 0;
  std::vector<std::thread> threads;
  for (auto &own : held)
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        begin.arrive_and_wait();
        for (int i = 0; i < 4; ++i) {
          const ComparisonMemory *const mine = memories->acquire();
          own = mine;
          std::this_thread::yield();
          const auto is_mine = [mine](const auto &each) { return each == mine; };
          if (mine && std::ranges::count_if(held, is_mine) > 1)
            ++shared;
          own = nullptr;
          memories->release(mine);
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(shared, 0);
}

} // namespace
} // namespace sartor::runtime
