// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/compile_queue.h"

#include <future>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/Support/ErrorHandling.h>

#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/job_queue.h"
#include "runtime/jit/thread_pool.h"

namespace sartor::runtime {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class FakeCode final : public Code {
public:
  [[nodiscard]] void *entry() const override { return nullptr; }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
};

// The jobs below call LLVM directly and need no module.
CompileQueue::MakeWorker no_module() {
  EXPECT_TRUE(runtime::choose_compiler({}, ""));
  return [] { return std::make_unique<Worker>(nullptr, nullptr, nullptr); };
}

using Work = std::function<Job::Outcome(Worker &, const core::Deadline &)>;

Job::Outcome good() { return std::make_unique<FakeCode>(); }

/// Submits a job; the future gets its outcome.
std::future<Job::Outcome> submit(CompileQueue &compile_queue, Work work,
                                 std::uint64_t request = 1) {
  auto promise = std::make_shared<std::promise<Job::Outcome>>();
  auto outcome = promise->get_future();
  auto taken = compile_queue.submit(
      {.request = request,
       .begin = [] { return true; },
       .work = std::move(work),
       .done = [promise](Job::Outcome done) { promise->set_value(std::move(done)); }});
  if (!taken)
    promise->set_value(std::unexpected(std::move(taken.error())));
  return outcome;
}

TEST(CompileQueueTest, GivesBackWhatTheWorkMade) {
  CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
  EXPECT_TRUE(submit(compile_queue, [](Worker &, const core::Deadline &) { return good(); }).get());
}

TEST(CompileQueueTest, GivesBackTheFailureOfTheWork) {
  CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
  const Failure failure{ErrorCode::missing_symbol, "s", "m", "r"};
  auto outcome = submit(compile_queue, [&](Worker &, const core::Deadline &) -> Job::Outcome {
                   return std::unexpected(failure);
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), failure);
}

TEST(CompileQueueTest, SaysWhatRunsAndHowManyWait) {
  const PoolStatus before = ThreadPool::instance().status();
  EXPECT_TRUE(before.running.empty());
  EXPECT_EQ(before.waiting, 0U);
  std::promise<void> begun;
  std::promise<void> goes_on;
  CompileQueue compile_queue(core::Tier::quick, no_module(), 1min);
  ASSERT_TRUE(compile_queue.submit({.description = {"variant", "blend", {{"B", 16}}},
                                    .request = 1,
                                    .begin = [] { return true; },
                                    .work =
                                        [&](Worker &, const core::Deadline &) {
                                          begun.set_value();
                                          goes_on.get_future().wait();
                                          return good();
                                        },
                                    .done = [](const Job::Outcome &) {}}));
  begun.get_future().wait();
  auto later = submit(compile_queue, [](Worker &, const core::Deadline &) { return good(); });
  const PoolStatus status = ThreadPool::instance().status();
  ASSERT_EQ(status.running.size(), 1U);
  EXPECT_EQ(status.running.front().job.kind, "variant");
  EXPECT_EQ(status.running.front().job.handler, "blend");
  EXPECT_EQ(status.running.front().job.configuration, sartor::Configuration({{"B", 16}}));
  EXPECT_EQ(status.running.front().tier, core::Tier::quick);
  EXPECT_GE(status.running.front().since_begin, 0ns);
  EXPECT_EQ(status.waiting, 1U);
  goes_on.set_value();
  EXPECT_TRUE(later.get());
}

TEST(CompileQueueTest, TakesNewerRequestsFirst) {
  std::vector<std::string> order;
  std::promise<void> begun;
  std::promise<void> all_there;
  {
    CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
    auto named = [&](std::string name) {
      return [&order, name](Worker &, const core::Deadline &) {
        order.push_back(name);
        return good();
      };
    };
    std::vector<std::future<Job::Outcome>> outcomes;
    outcomes.push_back(submit(compile_queue, [&](Worker &, const core::Deadline &) {
      begun.set_value();
      all_there.get_future().wait();
      return good();
    }));
    begun.get_future().wait();
    outcomes.push_back(submit(compile_queue, named("first"), 1));
    outcomes.push_back(submit(compile_queue, named("third"), 3));
    outcomes.push_back(submit(compile_queue, named("second"), 2));
    all_there.set_value();
    for (auto &outcome : outcomes)
      EXPECT_TRUE(outcome.get());
  }
  EXPECT_THAT(order, testing::ElementsAre("third", "second", "first"));
}

TEST(CompileQueueTest, LeavesOutJobsThatNobodyWantsAnyMore) {
  bool worked = false;
  {
    CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
    EXPECT_TRUE(compile_queue.submit({.request = 2,
                                      .begin = [] { return false; },
                                      .work =
                                          [&](Worker &, const core::Deadline &) {
                                            worked = true;
                                            return good();
                                          },
                                      .done = [&](Job::Outcome) { worked = true; }}));
    EXPECT_TRUE(
        submit(compile_queue, [](Worker &, const core::Deadline &) { return good(); }).get());
  }
  EXPECT_FALSE(worked);
}

TEST(CompileQueueTest, SurvivesAFatalErrorOfLlvms) {
  CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
  auto outcome = submit(compile_queue, [](Worker &, const core::Deadline &) -> Job::Outcome {
                   llvm::report_fatal_error("on purpose");
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(outcome.error().message, HasSubstr("on purpose"));
  EXPECT_TRUE(submit(compile_queue, [](Worker &, const core::Deadline &) { return good(); }).get());
}

TEST(CompileQueueTest, SurvivesOneFatalErrorAfterAnother) {
  CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(submit(compile_queue, [](Worker &, const core::Deadline &) -> Job::Outcome {
                   llvm::report_fatal_error("on purpose");
                 }).get());
}

TEST(CompileQueueTest, MayGoRightAfterAFatalError) {
  for (int i = 0; i < 50; ++i) {
    auto alive = std::make_unique<int>(0);
    {
      CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
      EXPECT_TRUE(
          compile_queue.submit({.request = 1,
                                .begin = [] { return true; },
                                .work = [](Worker &, const core::Deadline &) -> Job::Outcome {
                                  llvm::report_fatal_error("on purpose");
                                },
                                .done = [&](Job::Outcome) { ++*alive; }}));
    }
    EXPECT_LE(*alive, 1); // called before the queue was destroyed, or never begun
    alive.reset();
  }
}

TEST(CompileQueueTest, GivesUpACompileThatDoesNotComeBack) {
  CompileQueue compile_queue(core::Tier::full, no_module(), 1ms);
  auto release = std::make_shared<std::promise<void>>();
  auto outcome = submit(compile_queue, [release](Worker &, const core::Deadline &) {
                   release->get_future().wait();
                   return good();
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::compile_timeout);
  EXPECT_THAT(outcome.error().remedy, HasSubstr("Options::compile_timeout"));
  EXPECT_TRUE(submit(compile_queue, [](Worker &, const core::Deadline &) { return good(); }).get());
  release->set_value();
}

TEST(CompileQueueTest, FailsWhatHasNotBegunWhenItGoes) {
  std::future<Job::Outcome> first;
  std::future<Job::Outcome> second;
  std::promise<void> begun;
  {
    CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
    first = submit(compile_queue, [&](Worker &, const core::Deadline &) {
      begun.set_value();
      std::this_thread::sleep_for(20ms);
      return good();
    });
    begun.get_future().wait();
    second = submit(compile_queue, [](Worker &, const core::Deadline &) { return good(); });
  }
  EXPECT_TRUE(first.get());
  auto outcome = second.get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::closing);
}

TEST(CompileQueueTest, MakesAFailureOfAnyException) {
  CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
  const auto throws = [](auto what) {
    return [what](Worker &, const core::Deadline &) -> Job::Outcome { throw what; };
  };
  auto reported = submit(compile_queue, throws(std::runtime_error("caf\xe9"))).get();
  ASSERT_FALSE(reported);
  EXPECT_EQ(reported.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(reported.error().message, HasSubstr("caf"));
  auto memory = submit(compile_queue, throws(std::bad_alloc())).get();
  ASSERT_FALSE(memory);
  EXPECT_THAT(memory.error().message, HasSubstr("memory"));
  EXPECT_FALSE(submit(compile_queue, throws(7)).get());
  EXPECT_TRUE(submit(compile_queue, [](Worker &, const core::Deadline &) { return good(); }).get());
}

TEST(CompileQueueTest, RunsOutOfMemoryInLlvmWithoutEndingTheProcess) {
  CompileQueue compile_queue(core::Tier::full, no_module(), 1min);
  auto outcome = submit(compile_queue, [](Worker &, const core::Deadline &) -> Job::Outcome {
                   llvm::report_bad_alloc_error("on purpose");
                 }).get();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("memory"));
}

TEST(CompileQueueTest, HasNoTimeoutIfNoneIsSet) {
  for (const auto none : {0ms, std::chrono::milliseconds::max(), -1ms}) {
    CompileQueue compile_queue(core::Tier::full, no_module(), none);
    EXPECT_TRUE(submit(compile_queue, [](Worker &, const core::Deadline &deadline) {
                  EXPECT_FALSE(deadline.passed());
                  return good();
                }).get());
  }
}

TEST(CompileQueueTest, RequestsWorkToEndWhenItCloses) {
  std::promise<void> begun;
  {
    CompileQueue compile_queue(core::Tier::full, no_module(), 0ms);
    (void)submit(compile_queue, [&](Worker &, const core::Deadline &deadline) {
      begun.set_value();
      while (!deadline.passed())
        std::this_thread::sleep_for(1ms);
      return good();
    });
    begun.get_future().wait();
  }
  SUCCEED() << "it went";
}

TEST(CompileQueueTest, GivesUpOnThreadsAfterTwoThatDoNotComeBack) {
  auto release = std::make_shared<std::promise<void>>();
  const auto released = release->get_future().share();
  const auto hangs = [released](Worker &, const core::Deadline &) {
    released.wait();
    return good();
  };
  CompileQueue one(core::Tier::full, no_module(), 1ms);
  CompileQueue other(core::Tier::quick, no_module(), 1ms);
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
  while (!submit(one, work).get()) // until the workers have returned
    std::this_thread::sleep_for(1ms);
}

bool has_failed_as_forked(std::future<Job::Outcome> &outcome) {
  if (outcome.wait_for(0s) != std::future_status::ready)
    return false;
  const auto taken = outcome.get();
  return !taken && taken.error().code == ErrorCode::forked;
}

/// Forks, and returns what the child finds.
template <class Check> bool in_child(const Check &check) {
  const pid_t child = fork();
  if (child == 0)
    _exit(check() ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST(CompileQueueTest, FailsInAChildTheJobThatItsParentIsBeginning) {
  std::promise<void> begun;
  std::promise<void> goes_on;
  std::promise<Job::Outcome> promise;
  auto outcome = promise.get_future();
  CompileQueue compile_queue(core::Tier::full, no_module(), 0ms);
  ASSERT_TRUE(compile_queue.submit(
      {.request = 1,
       .begin =
           [&] {
             begun.set_value();
             goes_on.get_future().wait();
             return true;
           },
       .work = [](Worker &, const core::Deadline &) { return good(); },
       .done = [&](Job::Outcome done) { promise.set_value(std::move(done)); }}));
  begun.get_future().wait();
  EXPECT_TRUE(in_child([&] { return has_failed_as_forked(outcome); }));
  goes_on.set_value();
  EXPECT_TRUE(outcome.get());
}

TEST(CompileQueueTest, FailsInAChildTheJobsThatItsParentIsFailing) {
  std::promise<void> begun;
  std::promise<void> fails;
  std::promise<void> goes_on;
  auto compile_queue = std::make_unique<CompileQueue>(core::Tier::full, no_module(), 0ms);
  auto running = submit(*compile_queue, [&](Worker &, const core::Deadline &deadline) {
    begun.set_value();
    while (!deadline.passed())
      std::this_thread::sleep_for(1ms);
    return good();
  });
  begun.get_future().wait();
  const auto work = [](Worker &, const core::Deadline &) { return good(); };
  auto first = submit(*compile_queue, work, 1);
  ASSERT_TRUE(compile_queue->submit({.request = 2,
                                     .begin = [] { return true; },
                                     .work = work,
                                     .done =
                                         [&](const Job::Outcome &) {
                                           fails.set_value();
                                           goes_on.get_future().wait();
                                         }}));
  auto last = submit(*compile_queue, work, 3);
  std::thread closes([&] { compile_queue.reset(); });
  fails.get_future().wait();
  // One of them may have failed before, in the parent.
  EXPECT_TRUE(in_child([&] { return has_failed_as_forked(first) || has_failed_as_forked(last); }));
  goes_on.set_value();
  closes.join();
  EXPECT_FALSE(first.get());
  EXPECT_FALSE(last.get());
  running.wait();
}

Job job(std::uint64_t request, bool is_for_binding = false) {
  return {{}, request, is_for_binding, {}, {}, {}};
}

TEST(JobQueue, ServesNobodyForEverAfterNewerOnes) {
  JobQueue queue;
  const auto client = std::make_shared<CompileQueue::Client>();
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

TEST(JobQueue, ServesJobsThatCannotWaitFirst) {
  JobQueue queue;
  const auto client = std::make_shared<CompileQueue::Client>();
  for (std::uint64_t number = 1; number <= 20; ++number)
    queue.push(job(number), client);
  for (std::uint64_t number = 21; number <= 40; ++number) {
    queue.push(job(number), client);
    (void)queue.pop(); // until all are passed over so often that the oldest are served
  }
  queue.push(job(41, true), client);
  queue.push(job(~0ULL), client);
  EXPECT_EQ(queue.pop().job.request, ~0ULL);
}

TEST(JobQueue, TakesBindingsOldestFirstAndInTurnWithRequests) {
  JobQueue queue;
  const auto client = std::make_shared<CompileQueue::Client>();
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
