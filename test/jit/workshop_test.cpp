// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/workshop.h"

#include <future>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/Support/ErrorHandling.h>

namespace sartor::jit {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class FakeCode final : public Code {
public:
  [[nodiscard]] void *entry() const override { return nullptr; }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
};

Workshop::MakeWorker no_module() {
  return [] { return std::make_unique<Worker>(nullptr, nullptr, nullptr); };
}

using Work = std::function<Job::Outcome(Worker &, Worker::Deadline)>;

Job::Outcome good() { return std::make_unique<FakeCode>(); }

/// Submits a job; its outcome comes by the future.
std::future<Job::Outcome> submit(Workshop &workshop, Work work, std::uint64_t request = 1) {
  auto promise = std::make_shared<std::promise<Job::Outcome>>();
  auto outcome = promise->get_future();
  workshop.submit({request, [] { return true; }, std::move(work),
                   [promise](Job::Outcome done) { promise->set_value(std::move(done)); }});
  return outcome;
}

TEST(WorkshopTest, GivesBackWhatTheWorkMade) {
  Workshop workshop(no_module(), 1s);
  EXPECT_TRUE(submit(workshop, [](Worker &, Worker::Deadline) { return good(); }).get());
}

TEST(WorkshopTest, GivesBackTheFailureOfTheWork) {
  Workshop workshop(no_module(), 1s);
  const Failure failure{ErrorCode::missing_symbol, "s", "m", "r"};
  auto outcome = submit(workshop, [&](Worker &, Worker::Deadline) -> Job::Outcome {
                   return std::unexpected(failure);
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), failure);
}

TEST(WorkshopTest, TakesNewerRequestsFirst) {
  std::vector<std::string> order;
  std::promise<void> begun;
  std::promise<void> all_there;
  {
    Workshop workshop(no_module(), 1s);
    auto named = [&](std::string name) {
      return [&order, name](Worker &, Worker::Deadline) {
        order.push_back(name);
        return good();
      };
    };
    std::vector<std::future<Job::Outcome>> outcomes;
    outcomes.push_back(submit(workshop, [&](Worker &, Worker::Deadline) {
      begun.set_value();
      all_there.get_future().wait();
      return good();
    }));
    begun.get_future().wait();
    outcomes.push_back(submit(workshop, named("first"), 1));
    outcomes.push_back(submit(workshop, named("third"), 3));
    outcomes.push_back(submit(workshop, named("second"), 2));
    all_there.set_value();
    for (auto &outcome : outcomes)
      EXPECT_TRUE(outcome.get());
  }
  EXPECT_THAT(order, testing::ElementsAre("third", "second", "first"));
}

TEST(WorkshopTest, LeavesOutJobsThatNobodyWantsAnyMore) {
  bool worked = false;
  {
    Workshop workshop(no_module(), 1s);
    workshop.submit({2, [] { return false; },
                     [&](Worker &, Worker::Deadline) {
                       worked = true;
                       return good();
                     },
                     [&](Job::Outcome) { worked = true; }});
    EXPECT_TRUE(submit(workshop, [](Worker &, Worker::Deadline) { return good(); }).get());
  }
  EXPECT_FALSE(worked);
}

TEST(WorkshopTest, SurvivesAFatalErrorOfLlvms) {
  Workshop workshop(no_module(), 1s);
  auto outcome = submit(workshop, [](Worker &, Worker::Deadline) -> Job::Outcome {
                   llvm::report_fatal_error("on purpose");
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(outcome.error().message, HasSubstr("on purpose"));
  EXPECT_TRUE(submit(workshop, [](Worker &, Worker::Deadline) { return good(); }).get());
}

TEST(WorkshopTest, SurvivesOneFatalErrorAfterAnother) {
  Workshop workshop(no_module(), 1s);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(submit(workshop, [](Worker &, Worker::Deadline) -> Job::Outcome {
                   llvm::report_fatal_error("on purpose");
                 }).get());
}

TEST(WorkshopTest, MayGoRightAfterAFatalError) {
  for (int i = 0; i < 50; ++i) {
    auto alive = std::make_unique<int>(0);
    {
      Workshop workshop(no_module(), 1s);
      workshop.submit({1, [] { return true; },
                       [](Worker &, Worker::Deadline) -> Job::Outcome {
                         llvm::report_fatal_error("on purpose");
                       },
                       [&](Job::Outcome) { ++*alive; }});
    }
    EXPECT_LE(*alive, 1); // told before the workshop went, or never begun
    alive.reset();
  }
}

TEST(WorkshopTest, GivesUpACompileThatDoesNotComeBack) {
  Workshop workshop(no_module(), 1ms);
  auto release = std::make_shared<std::promise<void>>();
  auto outcome = submit(workshop, [release](Worker &, Worker::Deadline) {
                   release->get_future().wait();
                   return good();
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::compile_timeout);
  EXPECT_THAT(outcome.error().remedy, HasSubstr("Options::compile_timeout"));
  EXPECT_TRUE(submit(workshop, [](Worker &, Worker::Deadline) { return good(); }).get());
  release->set_value();
}

TEST(WorkshopTest, FailsWhatHasNotBegunWhenItGoes) {
  std::future<Job::Outcome> first;
  std::future<Job::Outcome> second;
  std::promise<void> begun;
  {
    Workshop workshop(no_module(), 1s);
    first = submit(workshop, [&](Worker &, Worker::Deadline) {
      begun.set_value();
      std::this_thread::sleep_for(20ms);
      return good();
    });
    begun.get_future().wait();
    second = submit(workshop, [](Worker &, Worker::Deadline) { return good(); });
  }
  EXPECT_TRUE(first.get());
  auto outcome = second.get();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("closing"));
}

} // namespace
} // namespace sartor::jit
