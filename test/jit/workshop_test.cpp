// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/workshop.h"

#include <future>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/Support/ErrorHandling.h>

#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/crew.h"
#include "runtime/jit/job_queue.h"

namespace sartor::runtime {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class FakeCode final : public Code {
public:
  [[nodiscard]] void *entry() const override { return nullptr; }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
};

// The works below call LLVM by themselves.
Workshop::MakeWorker no_module() {
  EXPECT_TRUE(runtime::choose_compiler({}, ""));
  return [] { return std::make_unique<Worker>(nullptr, nullptr, nullptr); };
}

using Work = std::function<Job::Outcome(Worker &, const core::Deadline &)>;

Job::Outcome good() { return std::make_unique<FakeCode>(); }

/// Submits a job; its outcome comes by the future.
std::future<Job::Outcome> submit(Workshop &workshop, Work work, std::uint64_t request = 1) {
  auto promise = std::make_shared<std::promise<Job::Outcome>>();
  auto outcome = promise->get_future();
  auto taken = workshop.submit(
      {.request = request,
       .begin = [] { return true; },
       .work = std::move(work),
       .done = [promise](Job::Outcome done) { promise->set_value(std::move(done)); }});
  if (!taken)
    promise->set_value(std::unexpected(std::move(taken.error())));
  return outcome;
}

TEST(WorkshopTest, GivesBackWhatTheWorkMade) {
  Workshop workshop(core::Tier::full, no_module(), 1s);
  EXPECT_TRUE(submit(workshop, [](Worker &, const core::Deadline &) { return good(); }).get());
}

TEST(WorkshopTest, GivesBackTheFailureOfTheWork) {
  Workshop workshop(core::Tier::full, no_module(), 1s);
  const Failure failure{ErrorCode::missing_symbol, "s", "m", "r"};
  auto outcome = submit(workshop, [&](Worker &, const core::Deadline &) -> Job::Outcome {
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
    Workshop workshop(core::Tier::full, no_module(), 1s);
    auto named = [&](std::string name) {
      return [&order, name](Worker &, const core::Deadline &) {
        order.push_back(name);
        return good();
      };
    };
    std::vector<std::future<Job::Outcome>> outcomes;
    outcomes.push_back(submit(workshop, [&](Worker &, const core::Deadline &) {
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
    Workshop workshop(core::Tier::full, no_module(), 1s);
    EXPECT_TRUE(workshop.submit({.request = 2,
                                 .begin = [] { return false; },
                                 .work =
                                     [&](Worker &, const core::Deadline &) {
                                       worked = true;
                                       return good();
                                     },
                                 .done = [&](Job::Outcome) { worked = true; }}));
    EXPECT_TRUE(submit(workshop, [](Worker &, const core::Deadline &) { return good(); }).get());
  }
  EXPECT_FALSE(worked);
}

TEST(WorkshopTest, SurvivesAFatalErrorOfLlvms) {
  Workshop workshop(core::Tier::full, no_module(), 1s);
  auto outcome = submit(workshop, [](Worker &, const core::Deadline &) -> Job::Outcome {
                   llvm::report_fatal_error("on purpose");
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(outcome.error().message, HasSubstr("on purpose"));
  EXPECT_TRUE(submit(workshop, [](Worker &, const core::Deadline &) { return good(); }).get());
}

TEST(WorkshopTest, SurvivesOneFatalErrorAfterAnother) {
  Workshop workshop(core::Tier::full, no_module(), 1s);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(submit(workshop, [](Worker &, const core::Deadline &) -> Job::Outcome {
                   llvm::report_fatal_error("on purpose");
                 }).get());
}

TEST(WorkshopTest, MayGoRightAfterAFatalError) {
  for (int i = 0; i < 50; ++i) {
    auto alive = std::make_unique<int>(0);
    {
      Workshop workshop(core::Tier::full, no_module(), 1s);
      EXPECT_TRUE(workshop.submit({.request = 1,
                                   .begin = [] { return true; },
                                   .work = [](Worker &, const core::Deadline &) -> Job::Outcome {
                                     llvm::report_fatal_error("on purpose");
                                   },
                                   .done = [&](Job::Outcome) { ++*alive; }}));
    }
    EXPECT_LE(*alive, 1); // told before the workshop went, or never begun
    alive.reset();
  }
}

TEST(WorkshopTest, GivesUpACompileThatDoesNotComeBack) {
  Workshop workshop(core::Tier::full, no_module(), 1ms);
  auto release = std::make_shared<std::promise<void>>();
  auto outcome = submit(workshop, [release](Worker &, const core::Deadline &) {
                   release->get_future().wait();
                   return good();
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::compile_timeout);
  EXPECT_THAT(outcome.error().remedy, HasSubstr("Options::compile_timeout"));
  EXPECT_TRUE(submit(workshop, [](Worker &, const core::Deadline &) { return good(); }).get());
  release->set_value();
}

TEST(WorkshopTest, FailsWhatHasNotBegunWhenItGoes) {
  std::future<Job::Outcome> first;
  std::future<Job::Outcome> second;
  std::promise<void> begun;
  {
    Workshop workshop(core::Tier::full, no_module(), 1s);
    first = submit(workshop, [&](Worker &, const core::Deadline &) {
      begun.set_value();
      std::this_thread::sleep_for(20ms);
      return good();
    });
    begun.get_future().wait();
    second = submit(workshop, [](Worker &, const core::Deadline &) { return good(); });
  }
  EXPECT_TRUE(first.get());
  auto outcome = second.get();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("closing"));
}

TEST(WorkshopTest, MakesAFailureOfAnyException) {
  Workshop workshop(core::Tier::full, no_module(), 1s);
  const auto throws = [](auto what) {
    return [what](Worker &, const core::Deadline &) -> Job::Outcome { throw what; };
  };
  auto told = submit(workshop, throws(std::runtime_error("caf\xe9"))).get();
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(told.error().message, HasSubstr("caf"));
  auto memory = submit(workshop, throws(std::bad_alloc())).get();
  ASSERT_FALSE(memory);
  EXPECT_THAT(memory.error().message, HasSubstr("memory"));
  EXPECT_FALSE(submit(workshop, throws(7)).get());
  EXPECT_TRUE(submit(workshop, [](Worker &, const core::Deadline &) { return good(); }).get());
}

TEST(WorkshopTest, RunsOutOfMemoryInLlvmWithoutEndingTheProcess) {
  Workshop workshop(core::Tier::full, no_module(), 1s);
  auto outcome = submit(workshop, [](Worker &, const core::Deadline &) -> Job::Outcome {
                   llvm::report_bad_alloc_error("on purpose");
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("memory"));
}

TEST(WorkshopTest, HasNoTimeoutIfNoneIsSet) {
  for (const auto none : {0ms, std::chrono::milliseconds::max(), -1ms}) {
    Workshop workshop(core::Tier::full, no_module(), none);
    EXPECT_TRUE(submit(workshop, [](Worker &, const core::Deadline &deadline) {
                  EXPECT_FALSE(deadline.passed());
                  return good();
                }).get());
  }
}

TEST(WorkshopTest, TellsWorkToEndWhenItCloses) {
  std::promise<void> begun;
  {
    Workshop workshop(core::Tier::full, no_module(), 0ms);
    (void)submit(workshop, [&](Worker &, const core::Deadline &deadline) {
      begun.set_value();
      while (!deadline.passed())
        std::this_thread::sleep_for(1ms);
      return good();
    });
    begun.get_future().wait();
  }
  SUCCEED() << "it went";
}

TEST(WorkshopTest, GivesUpOnThreadsAfterTwoThatDoNotComeBack) {
  auto release = std::make_shared<std::promise<void>>();
  const auto released = release->get_future().share();
  const auto hangs = [released](Worker &, const core::Deadline &) {
    released.wait();
    return good();
  };
  Workshop one(core::Tier::full, no_module(), 1ms);
  Workshop other(core::Tier::quick, no_module(), 1ms);
  auto first = submit(one, hangs);
  auto second = submit(other, hangs);
  EXPECT_FALSE(first.get());
  EXPECT_FALSE(second.get());
  const auto work = [](Worker &, const core::Deadline &) { return good(); };
  auto third = submit(one, work).get();
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(third.error().message, HasSubstr("lost"));
  release->set_value();
  while (!submit(one, work).get()) // until they have come back
    std::this_thread::sleep_for(1ms);
}

Job job(std::uint64_t request, bool is_for_binding = false) {
  return {request, is_for_binding, {}, {}, {}};
}

TEST(JobQueue, ServesNobodyForEverAfterNewerOnes) {
  JobQueue queue;
  const auto client = std::make_shared<Workshop::Client>();
  queue.push(job(1), client);
  unsigned served = 0;
  for (std::uint64_t newer = 2;; ++newer, ++served) {
    queue.push(job(newer), client);
    if (queue.pop().job.request == 1)
      break;
    ASSERT_LT(served, 100U);
  }
  EXPECT_GT(served, 0U);
}

TEST(JobQueue, TakesBindingsOldestFirstAndInTurnWithRequests) {
  JobQueue queue;
  const auto client = std::make_shared<Workshop::Client>();
  for (std::uint64_t number = 1; number <= 3; ++number)
    queue.push(job(number, true), client);
  for (std::uint64_t number = 4; number <= 6; ++number)
    queue.push(job(number), client);
  std::vector<std::uint64_t> order;
  while (!queue.empty())
    order.push_back(queue.pop().job.request);
  EXPECT_THAT(order, testing::ElementsAre(1, 6, 2, 5, 3, 4));
}

} // namespace
} // namespace sartor::runtime
