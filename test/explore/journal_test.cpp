// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/journal.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <iterator>
#include <map>
#include <stdlib.h> // NOLINT(modernize-deprecated-headers): mkdtemp
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <sartor/race.hpp>
#include <sartor/strategies.hpp>

#include "../files_of_the_program.h"
#include "tuner/objective/check.h"

namespace sartor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct JournalTest : testing::Test {
  JournalTest() {
    std::string name = testing::TempDir() + "journal_XXXXXX";
    folder = mkdtemp(name.data());
    path = folder / "journal";
  }
  ~JournalTest() override { std::filesystem::remove_all(folder); }

  Result<std::unique_ptr<Journal>> open_as(const Journal::Subject &subject) {
    return Journal::open(path, subject, {.seed = 7, .incumbent = {{"a", 1}}, .compared = compared},
                         [this](std::string_view event, std::string_view fields) {
                           events.emplace_back(event);
                           last_fields = fields;
                         });
  }
  std::unique_ptr<Journal> open() {
    auto journal = open_as({space, "throughput", "default", is_ours});
    EXPECT_TRUE(journal) << journal.error().text();
    return std::move(*journal);
  }
  [[nodiscard]] std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string &text) const { std::ofstream(path) << text; }

  std::filesystem::path folder;
  std::filesystem::path path;
  std::vector<std::string> events;
  std::string last_fields;
  std::string compared;
  std::function<bool(const Trial &)> is_ours;
  const SearchSpace space{
      {{.label = "a", .settings = {1, 2, 3, 4}}, {.label = "b", .settings = {1, 2, 3, 4}}},
      {.relations = {"a * b != 6"}}};
};

Trial trial_of(Configuration configuration, double score) {
  return {
      .configuration = std::move(configuration), .score = score, .error = 0.1, .sample_count = 8};
}

/// The score of a measurement; the same every time, and different for each configuration.
double score_of(const Configuration &configuration, std::size_t number) {
  const auto *a = configuration.find("a");
  const auto *b = configuration.find("b");
  const double best = 10 + (a ? static_cast<double>(a->values[0].integer()) : 0) -
                      (b ? static_cast<double>(b->values[0].integer()) : 0);
  return best * (1 + 0.01 * static_cast<double>(number * 7919 % 13) / 13);
}

struct Outcome {
  Decision decision;
  std::size_t measured = 0;
  std::vector<Configuration> asked = {};
};

/// Explores with up to `side_by_side` trials at once. Returns nothing if it is interrupted, after
/// `most` trials.
std::optional<Outcome> explore(Journal &journal, Strategy &strategy, std::size_t most,
                               std::size_t side_by_side = 1) {
  Outcome outcome;
  for (;;) {
    std::vector<Configuration> batch;
    while (batch.size() < side_by_side) {
      auto next = strategy.ask();
      if (!next)
        break;
      batch.push_back(std::move(*next));
    }
    if (batch.empty())
      break;
    for (const Configuration &configuration : batch) {
      outcome.asked.push_back(configuration);
      auto trial = journal.recall(configuration);
      if (!trial) {
        if (outcome.measured++ == most)
          return std::nullopt;
        trial = trial_of(configuration, score_of(configuration, outcome.asked.size()));
        trial->failed = outcome.asked.size() % 11 == 10;
        trial->cut_short = outcome.asked.size() % 7 == 3;
        journal.save(*trial);
      }
      strategy.tell(*trial);
    }
  }
  outcome.decision = strategy.best();
  journal.decide(outcome.decision);
  return outcome;
}

bool same(const Decision &a, const Decision &b) {
  return a.configuration == b.configuration && a.estimate.mean == b.estimate.mean &&
         a.estimate.low == b.estimate.low && a.estimate.high == b.estimate.high &&
         a.estimate.windows == b.estimate.windows;
}

TEST_F(JournalTest, TrialsComeBackAsTheyWereKept) {
  const Trial trials[] = {
      {.configuration = {}, .score = 0.1 + 0.2, .error = 1e-300, .sample_count = 5},
      {.configuration = {{"a", 1}},
       .score = 1e300,
       .error = HUGE_VAL,
       .cut_short = true,
       .reference = 0.1},
      {.configuration = {{"b", any_of({1, 2})}}, .failed = true}};
  {
    const auto journal = open();
    for (const Trial &trial : trials)
      journal->save(trial);
  }
  const auto journal = open();
  for (const Trial &trial : trials) {
    const auto back = journal->recall(trial.configuration);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->configuration, trial.configuration);
    EXPECT_EQ(back->score, trial.score);
    EXPECT_EQ(back->error, trial.error);
    EXPECT_EQ(back->sample_count, trial.sample_count);
    EXPECT_EQ(back->failed, trial.failed);
    EXPECT_EQ(back->cut_short, trial.cut_short);
    EXPECT_EQ(back->reference, trial.reference);
  }
  EXPECT_FALSE(journal->recall({}));
  EXPECT_THAT(events, ElementsAre("journal_resumed"));
}

/// Interrupts a strategy after each of its trials and resumes it in another exploration.
void interrupt_everywhere(JournalTest &test, std::size_t side_by_side,
                          const std::function<std::unique_ptr<Strategy>()> &make) {
  const auto through = explore(*test.open(), *make(), ~std::size_t{0}, side_by_side);
  ASSERT_TRUE(through);
  ASSERT_GT(through->measured, 10U);
  for (std::size_t most = 0; most < through->measured; ++most) {
    std::filesystem::remove(test.path);
    ASSERT_FALSE(explore(*test.open(), *make(), most, side_by_side));
    const auto resumed = explore(*test.open(), *make(), ~std::size_t{0}, side_by_side);
    ASSERT_TRUE(resumed);
    EXPECT_TRUE(same(resumed->decision, through->decision)) << "after " << most;
    EXPECT_EQ(resumed->asked, through->asked);
    EXPECT_EQ(resumed->measured, through->measured - most);
  }
}

TEST_F(JournalTest, SearchInterruptedAtAnyPointComesToTheSameDecision) {
  interrupt_everywhere(*this, 1, [&] { return local_search(space, {.most_trials = 18}); });
}

TEST_F(JournalTest, SearchSideBySideInterruptedAtAnyPointComesToTheSameDecision) {
  interrupt_everywhere(*this, 3, [&] { return random_search(space, {.most_trials = 18}); });
}

TEST_F(JournalTest, RaceInterruptedAtAnyPointComesToTheSameDecision) {
  interrupt_everywhere(
      *this, 2, [&] { return race(space.all(), {.tolerance = 0, .most_samples = 4, .seed = 7}); });
}

TEST_F(JournalTest, WrittenAnywhereToIsGoneOnWith) {
  const auto make = [&] { return random_search(space, {.most_trials = 5}); };
  const auto through = explore(*open(), *make(), ~std::size_t{0});
  const std::string all = text();
  // All lengths up to just before the end of the decision; without the decision, the exploration is
  // not over.
  for (std::size_t size = 0; size < all.size(); ++size) {
    write(all.substr(0, size));
    events.clear();
    const auto resumed = explore(*open(), *make(), ~std::size_t{0});
    ASSERT_TRUE(resumed) << size;
    EXPECT_TRUE(same(resumed->decision, through->decision)) << size;
    EXPECT_EQ(text(), all) << size;
    const bool torn = size > 0 && all[size - 1] != '\n';
    EXPECT_EQ(std::ranges::count(events, "journal_damaged"), torn ? 1 : 0) << size;
  }
}

TEST_F(JournalTest, RunThatCameToADecisionIsNotGoneOnWith) {
  const auto make = [&] { return random_search(space, {.most_trials = 5}); };
  explore(*open(), *make(), ~std::size_t{0});
  const std::string first = text();
  EXPECT_EQ(explore(*open(), *make(), ~std::size_t{0})->measured, 5U);
  EXPECT_EQ(text(), first + first);
  EXPECT_THAT(events, IsEmpty());
}

TEST_F(JournalTest, ReportsWhatARunWasBegunWith) {
  {
    const auto fresh = open();
  }
  const auto journal =
      Journal::open(path, {space, "throughput", "default"}, {.seed = 8}, [](auto, auto) {});
  ASSERT_TRUE(journal);
  EXPECT_EQ((*journal)->run().seed, 7U);
  EXPECT_EQ((*journal)->run().incumbent, (Configuration{{"a", 1}}));
}

TEST_F(JournalTest, StrategyThatLeavesItsPathIsToldNoMore) {
  {
    const auto journal = open();
    for (int i = 1; i <= 4; ++i)
      journal->save(trial_of({{"a", i}}, i));
  }
  {
    const auto journal = open();
    EXPECT_TRUE(journal->recall({{"a", 1}}));
    EXPECT_FALSE(journal->recall({{"b", 1}}));
    EXPECT_FALSE(journal->recall({{"a", 2}}));
    EXPECT_THAT(events, ElementsAre("journal_resumed", "journal_left"));
    EXPECT_THAT(last_fields, HasSubstr("{b=1} instead of {a=2}; the last 3 trials"));
    journal->save(trial_of({{"b", 1}}, 9));
  }
  const auto journal = open();
  EXPECT_TRUE(journal->recall({{"a", 1}}));
  EXPECT_EQ(journal->recall({{"b", 1}})->score, 9);
}

TEST_F(JournalTest, TrialsBeforeTheWorkloadChangedAreNotRecalled) {
  {
    const auto journal = open();
    journal->save(trial_of({{"a", 1}}, 1));
    journal->start_anew();
    journal->save(trial_of({{"a", 2}}, 2));
  }
  EXPECT_EQ(open()->recall({{"a", 2}})->score, 2);
}

TEST_F(JournalTest, TrialsOfAnotherQuantityAreNotUsed) {
  compared = "throughput";
  open()->save(trial_of({{"a", 1}}, 1));
  EXPECT_TRUE(open()->recall({{"a", 1}}));
  events.clear();
  compared = "cost of throughput";
  {
    const auto journal = open();
    EXPECT_THAT(events, ElementsAre("journal_left", "journal_resumed"));
    EXPECT_FALSE(journal->recall({{"a", 1}}));
    journal->save(trial_of({{"a", 2}}, -2));
  }
  EXPECT_EQ(open()->recall({{"a", 2}})->score, -2);
  compared = "throughput";
  EXPECT_FALSE(open()->recall({{"a", 2}}));
}

TEST_F(JournalTest, TrialsThatTheObjectiveCannotHaveGivenAreNotUsed) {
  {
    const auto journal = open();
    journal->save(trial_of({{"a", 1}}, 1));
    journal->save(trial_of({{"a", 2}}, 9));
  }
  is_ours = [](const Trial &trial) { return trial.score < 5; };
  const auto journal = open();
  EXPECT_THAT(events, ElementsAre("journal_left", "journal_resumed"));
  EXPECT_FALSE(journal->recall({{"a", 1}}));
}

TEST(TrialOfAnObjective, HasItsBucketsQuantitiesAndBounds) {
  const Objective p99 = Objective::percentile_of(
      Buckets{.bounds = {1, 2}, .counts = [] { return std::vector<std::uint64_t>(3); }});
  const std::atomic<std::uint64_t> work = 0;
  const Objective rate = Objective::rate_of(work);
  Trial trial = trial_of({}, 1);
  EXPECT_TRUE(is_trial_of(rate, trial));
  EXPECT_FALSE(is_trial_of(rate.subject_to(p99, {.most = 1}), trial));
  EXPECT_FALSE(is_trial_of(Objective::weighted({{rate, 1}, {p99, 1}}), trial));
  trial.requests = {{2, 7}};
  EXPECT_TRUE(is_trial_of(p99, trial));
  trial.requests = {{3, 7}};
  EXPECT_FALSE(is_trial_of(p99, trial)) << "the histogram has three buckets";
  EXPECT_FALSE(is_trial_of(rate, trial_of({}, std::nan(""))));
  Trial breaks = trial_of({}, 1);
  breaks.breaks = 0;
  EXPECT_FALSE(is_trial_of(rate, breaks));
}

TEST_F(JournalTest, OfAnotherExplorationIsRefusedAndLeftAlone) {
  {
    const auto journal = open();
  }
  const std::string before = text();
  const SearchSpace other({{.label = "a", .settings = {1, 2}}});
  for (const Journal::Subject &subject : {Journal::Subject{other, "throughput", "default"},
                                          {space, "latency", "default"},
                                          {space, "throughput", "custom"}}) {
    const auto journal = open_as(subject);
    ASSERT_FALSE(journal);
    EXPECT_EQ(journal.error().code, ErrorCode::wrong_journal);
    EXPECT_EQ(journal.error().subject, path.string());
    EXPECT_THAT(journal.error().remedy, HasSubstr("move the file away"));
  }
  EXPECT_THAT(open_as({space, "latency", "default"}).error().message,
              HasSubstr(R"(objective is "throughput", not "latency")"));
  EXPECT_EQ(text(), before);
}

TEST_F(JournalTest, FileThatIsNoJournalIsRefusedAndLeftAlone) {
  for (const char *content : {"hello", "hello\n", "{}\n", "{\"event\":1}\n{\"event\":2}\n", "\n"}) {
    write(content);
    const auto journal = open_as({space, "throughput", "default"});
    ASSERT_FALSE(journal) << content;
    EXPECT_EQ(journal.error().code, ErrorCode::wrong_journal);
    EXPECT_EQ(text(), content);
  }
}

TEST_F(JournalTest, DamageInTheMiddleIsReportedWithTheLine) {
  explore(*open(), *random_search(space, {.most_trials = 5}), ~std::size_t{0});
  std::string damaged = text();
  damaged[damaged.find("\"score\"") + 2] = '"';
  write(damaged);
  const auto journal = open_as({space, "throughput", "default"});
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::wrong_journal);
  EXPECT_THAT(journal.error().message, HasSubstr("line 2 is damaged"));
}

TEST_F(JournalTest, FileThatCannotBeWrittenIsAnError) {
  path = folder / "none" / "journal";
  EXPECT_EQ(open_as({space, "throughput", "default"}).error().code, ErrorCode::file_error);
  path = folder;
  EXPECT_EQ(open_as({space, "throughput", "default"}).error().code, ErrorCode::file_error);
}

TEST_F(JournalTest, IsWrittenByOneExplorationAtATime) {
  const auto journal = open();
  const auto second = open_as({space, "throughput", "default"});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::file_error);
}

/// A child process that lives until this object is destroyed.
class Child {
public:
  Child() : process_(fork()) {
    if (process_ != 0)
      return;
    alarm(60); // in case the test does not end it
    for (;;)
      pause();
  }
  ~Child() {
    if (process_ < 0)
      return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

private:
  const pid_t process_;
};

TEST_F(JournalTest, ChildProcessDoesNotKeepItLocked) {
  auto journal = open();
  const Child child;
  journal.reset();
  open()->save(trial_of({{"a", 1}}, 1));
  EXPECT_TRUE(open()->recall({{"a", 1}}));
}

TEST_F(JournalTest, ChildProcessWritesNothing) {
  const auto journal = open();
  const std::string before = text();
  EXPECT_TRUE(is_true_in_child([&] {
    journal->save(trial_of({{"a", 1}}, 1));
    return true;
  }));
  EXPECT_EQ(text(), before);
  journal->save(trial_of({{"a", 2}}, 2));
  EXPECT_NE(text(), before);
}

TEST_F(JournalTest, FullDiskIsReportedOnceAndExplorationGoesOn) {
  const auto journal = open();
  journal->save(trial_of({{"a", 1}}, 1));
  const std::string before = text();
  // A file that may not grow has the effect of a full disk.
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit full{before.size() + 20, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &full);
  for (int i = 0; i < 3; ++i)
    journal->save(trial_of({{"a", 2}}, 2));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(events, ElementsAre("journal_failed"));
  EXPECT_EQ(text(), before) << "a part of a line is left";
}

TEST_F(JournalTest, GoesOnInItsFileWhenTheProgramHasClosedIt) {
  EXPECT_TRUE(is_true_in_child([&] {
    auto journal = open();
    closefrom(STDERR_FILENO + 1); // the file gets the same descriptor again
    journal->save(trial_of({{"a", 1}, {"b", 1}}, 5));
    const FilesOfTheProgram own;
    journal->save(trial_of({{"a", 2}, {"b", 1}}, 6));
    const bool is_reported =
        events == std::vector<std::string>{"descriptor_lost", "descriptor_lost"};
    journal.reset();
    return is_reported && own.are_untouched();
  }));
  const auto journal = open();
  EXPECT_TRUE(journal->recall({{"a", 1}, {"b", 1}}));
  EXPECT_TRUE(journal->recall({{"a", 2}, {"b", 1}}));
}

TEST_F(JournalTest, LeavesItsFileToAnotherWhoHasWrittenToItMeanwhile) {
  EXPECT_TRUE(is_true_in_child([&] {
    auto journal = open();
    const FilesOfTheProgram own;
    { // the lock was released with the descriptor
      const auto other = open();
      other->save(trial_of({{"a", 1}, {"b", 1}}, 5));
    }
    events.clear();
    journal->save(trial_of({{"a", 2}, {"b", 1}}, 6));
    journal->save(trial_of({{"a", 3}, {"b", 1}}, 6));
    return events == std::vector<std::string>{"descriptor_lost"} && own.are_untouched();
  }));
  const auto journal = open();
  EXPECT_TRUE(journal->recall({{"a", 1}, {"b", 1}}));
  EXPECT_FALSE(journal->recall({{"a", 2}, {"b", 1}}));
}

} // namespace
} // namespace sartor
