// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/fleet/fleet.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sartor/strategies.hpp>

#include "../odd_server.h"
#include "../sidecar.h"
#include "../store.h"

namespace sartor {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_aids::Sidecar;
using testing_aids::Store;

SearchSpace space_of(std::size_t dimensions, Constraints constraints = {}) {
  std::vector<Dimension> all;
  for (std::size_t i = 0; i < dimensions; ++i)
    all.push_back({.label = "T" + std::to_string(i), .settings = {4, 8, 16, 32, 64, 128, 256}});
  return SearchSpace(std::move(all), std::move(constraints));
}

/// Best where all values are 32; no two scores are equal.
double score_of(const Configuration &configuration) {
  double score = 100;
  double weight = 1;
  for (const auto &[label, setting] : configuration) {
    const double value = static_cast<double>(setting.values.front().integer());
    score -= weight * std::abs(std::log2(value) - 5);
    weight *= 1.01;
  }
  return score - 5 * (3 - static_cast<double>(configuration.size()));
}

class FleetTest : public testing::Test {
protected:
  explicit FleetTest(const char *store = "redis") : store_(std::make_unique<Store>(store)) {
    options_.socket = store_->directory() / "sidecar";
    options_.study = "study";
    options_.most_trials = 20;
    options_.patience = 60s; // long enough for a slow machine
    options_.retry = 50ms;
  }

  void start_sidecar(double lease = 60) {
    sidecar_.reset();
    sidecar_ = std::make_unique<Sidecar>(store_->address(), options_.socket, lease);
  }

  std::unique_ptr<FleetSearch> replica(const std::string &name, std::string content = "content") {
    FleetOptions options = options_;
    options.replica = name;
    return std::make_unique<FleetSearch>(space_, options, std::move(content),
                                         [this](std::string_view event, std::string_view fields) {
                                           const std::scoped_lock lock(mutex_);
                                           events_.emplace_back(event);
                                           texts_ += std::string(fields) + "\n";
                                         });
  }

  /// Asks for a configuration, tries it and reports its score; false when there is nothing to ask.
  bool try_one(FleetSearch &search) {
    const auto next = search.ask();
    if (!next)
      return false;
    EXPECT_TRUE(space_.allows(*next)) << next->text();
    search.tell({.configuration = *next, .score = score_of(*next)});
    const std::scoped_lock lock(mutex_);
    tried_.push_back(*next);
    return true;
  }

  void try_all(FleetSearch &search) {
    for (int i = 0; i < 1000; ++i)
      if (!try_one(search))
        return;
    ADD_FAILURE() << "does not come to an end";
  }

  std::vector<std::string> events() {
    const std::scoped_lock lock(mutex_);
    return events_;
  }

  /// Waits until the event has occurred `times` times, for a limited time.
  void await(const std::string &event, long times = 1) {
    for (int i = 0; i < 6000; ++i) {
      const auto all = events();
      if (std::ranges::count(all, event) >= times)
        return;
      std::this_thread::sleep_for(50ms);
    }
    FAIL() << "no " << event << " in some minutes";
  }

  /// Replicas made from now on take part in a study of their own.
  void begin_study() {
    const std::scoped_lock lock(mutex_);
    options_.study = "study " + std::to_string(runs_);
    events_.clear();
    texts_.clear();
    tried_.clear();
  }

  /// True if a replica has lost the study more often than expected: on a busy machine, the sidecar
  /// or the store may answer too late. The test then begins another study. False in the fifth.
  bool is_disturbed(long expected = 0) {
    const auto all = events();
    return std::ranges::count(all, "fleet_lost") > expected && ++runs_ < 5;
  }

  [[nodiscard]] double best_tried() const {
    double best = -1e9;
    for (const Configuration &configuration : tried_)
      best = std::max(best, score_of(configuration));
    return best;
  }

  std::unique_ptr<Store> store_;
  std::unique_ptr<Sidecar> sidecar_;
  SearchSpace space_ = space_of(3);
  FleetOptions options_;
  std::mutex mutex_;
  std::vector<std::string> events_;
  std::string texts_;
  std::vector<Configuration> tried_;
  int runs_ = 0;
};

class FleetOnEachStore : public FleetTest, public testing::WithParamInterface<const char *> {
protected:
  FleetOnEachStore() : FleetTest(GetParam()) {}
};

#define START_SIDECAR(...)                                                                         \
  start_sidecar(__VA_ARGS__);                                                                      \
  if (sidecar_->is_missing())                                                                      \
  GTEST_SKIP() << "the sidecar's Python packages cannot be had"

TEST_P(FleetOnEachStore, EachTrialRunsOnOneReplicaAndTheWinnerReachesAll) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    auto one = replica("one");
    auto other = replica("other");
    // Both replicas take part from the beginning. A replica that joins after the end tries the best
    // configuration again, and one that asks at that moment may.
    EXPECT_TRUE(try_one(*one));
    EXPECT_TRUE(try_one(*other));
    std::thread beside([&] { try_all(*other); });
    try_all(*one);
    beside.join();
    if (is_disturbed())
      continue;
    ASSERT_GE(tried_.size(), 20U);
    const auto again = static_cast<std::ptrdiff_t>(tried_.size() - 20);
    EXPECT_LE(again, 1);
    EXPECT_GT(std::ranges::count(tried_, one->best().configuration), again);
    EXPECT_EQ(one->best().configuration, other->best().configuration);
    EXPECT_DOUBLE_EQ(one->best().estimate.mean, best_tried());
    EXPECT_THAT(events(), Contains("fleet_joined").Times(2));
    EXPECT_THAT(events(), Contains("fleet_best").Times(2 + again));
    EXPECT_THAT(events(), Not(Contains("fleet_lost")));
    return;
  }
}

TEST_F(FleetTest, WaitsForTheWinnerThatAnotherStillMeasures) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    auto quick = replica("quick");
    auto slow = replica("slow");
    auto next = slow->ask();
    std::thread beside([&] { try_all(*quick); });
    Configuration winner;
    for (double score = 1000; next; next = slow->ask(), score *= 2) {
      std::this_thread::sleep_for(500ms);
      winner = *next;
      slow->tell({.configuration = winner, .score = score});
    }
    beside.join();
    if (is_disturbed())
      continue;
    EXPECT_EQ(quick->best().configuration, winner);
    return;
  }
}

TEST_F(FleetTest, AReplicaThatComesLateTriesTheWinnerAndTakesIt) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    try_all(*replica("early"));
    tried_.clear();
    auto late = replica("late");
    try_all(*late);
    if (is_disturbed())
      continue;
    EXPECT_EQ(tried_.size(), 1U);
    EXPECT_EQ(late->best().configuration, tried_.front());
    return;
  }
}

using Json = nlohmann::json;

/// A replica whose steps the test makes.
class ByHand {
public:
  ByHand(const FleetOptions &options, const SearchSpace &space)
      : socket_(or_throw(LineSocket::connect(options.socket))) {
    answer({{"open",
             {{"space", Json::parse(space.json())},
              {"study", options.study},
              {"content", "content"},
              {"most_trials", options.most_trials}}}});
  }
  Json answer(const Json &request) {
    return Json::parse(or_throw(socket_.exchange(request.dump(), 200s)));
  }

private:
  LineSocket socket_;
};

/// The configuration of the next trial; null if the store did not answer in time.
Json first_trial(ByHand &replica) {
  const Json answer = replica.answer({{"ask", 1}});
  if (!answer.contains("trials") || answer["trials"].empty())
    return nullptr;
  return answer["trials"][0]["configuration"];
}

TEST_F(FleetTest, TrafficOfAReplicaMakesNothingLookBetter) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    auto quiet = replica("quiet");
    auto busy = replica("busy");
    const auto try_next = [&](FleetSearch &search, double traffic) {
      const auto next = search.ask();
      if (!next)
        return false;
      const double score = score_of(*next);
      search.tell({.configuration = *next,
                   .score = traffic * score,
                   .error = traffic,
                   .reference = traffic * score_of({})});
      const std::scoped_lock lock(mutex_);
      tried_.push_back(*next);
      return true;
    };
    // All trials of the busy replica look better than any of the quiet one.
    for (bool goes_on = true; goes_on;) {
      goes_on = try_next(*quiet, 1);
      goes_on = try_next(*busy, 100) || goes_on;
    }
    if (is_disturbed())
      continue;
    EXPECT_DOUBLE_EQ(score_of(quiet->best().configuration), best_tried());
    EXPECT_EQ(busy->best().configuration, quiet->best().configuration);
    EXPECT_NEAR(quiet->best().estimate.mean, best_tried(), 1e-9 * best_tried());
    EXPECT_NEAR(busy->best().estimate.mean, 100 * best_tried(), 1e-7 * best_tried());
    ByHand study(options_, space_);
    const Json best = study.answer({{"best", true}})["best"];
    EXPECT_NEAR(best["score"].get<double>(), std::log(best_tried() / score_of({})), 1e-9);
    EXPECT_NEAR(best["error"].get<double>(), 1 / best_tried(), 0.5 / best_tried());
    return;
  }
}

TEST_F(FleetTest, KeepsReplicasWithOtherHandlersApart) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    auto one = replica("one", "bitcode");
    auto other = replica("other", "other bitcode");
    try_all(*one);
    const std::size_t by_one = tried_.size();
    try_all(*other);
    if (is_disturbed())
      continue;
    EXPECT_EQ(by_one, 20U);
    EXPECT_EQ(tried_.size(), 40U);
    return;
  }
}

TEST_P(FleetOnEachStore, GoesOnAloneWhenTheStoreIsGoneAtTheStartAndJoinsLater) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    store_->stop();
    auto search = replica("one");
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(try_one(*search));
    const auto at_the_start = events();
    const double alone = best_tried();
    store_->start();
    await("fleet_joined");
    try_all(*search);
    search.reset();
    const std::size_t tried = tried_.size();
    auto other = replica("other");
    try_all(*other);
    if (is_disturbed(1))
      continue;
    EXPECT_THAT(at_the_start, ElementsAre("fleet_lost"));
    EXPECT_EQ(tried, 20U); // includes some of those found alone
    EXPECT_GE(other->best().estimate.mean, alone);
    return;
  }
}

TEST_P(FleetOnEachStore, GoesOnAloneWhenTheStoreIsLostInTheMiddle) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    auto search = replica("one");
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(try_one(*search));
    store_->stop();
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(try_one(*search));
    await("fleet_lost");
    const double alone = best_tried();
    store_->start();
    await("fleet_joined", 2);
    try_all(*search);
    search.reset();
    auto other = replica("other");
    try_all(*other);
    if (is_disturbed(1))
      continue;
    EXPECT_GE(other->best().estimate.mean, alone);
    return;
  }
}

TEST_F(FleetTest, GoesOnAloneWhenTheSidecarIsKilled) {
  START_SIDECAR(1);
  for (;;) {
    begin_study();
    auto search = replica("one");
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(try_one(*search));
    sidecar_->end(SIGKILL);
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(try_one(*search));
    await("fleet_lost");
    start_sidecar(1);
    await("fleet_joined", 2);
    try_all(*search);
    if (is_disturbed(1))
      continue;
    EXPECT_DOUBLE_EQ(search->best().estimate.mean, best_tried());
    return;
  }
}

TEST_F(FleetTest, GivesTheTrialOfAReplicaThatVanishedToAnother) {
  START_SIDECAR();
  Json held;
  {
    ByHand vanishing(options_, space_);
    held = vanishing.answer({{"ask", 1}})["trials"][0]["configuration"];
  }
  ByHand other(options_, space_);
  // The sidecar gives the trial back once it has noticed that the connection is closed.
  for (int i = 0; i < 1200 && other.answer({{"ask", 0}})["running"] != 0; ++i)
    std::this_thread::sleep_for(50ms);
  Json given;
  for (int i = 0; i < 100 && given != held; ++i) {
    const Json trial = other.answer({{"ask", 1}})["trials"][0];
    given = trial["configuration"];
    other.answer({{"tell", {{"id", trial["id"]}, {"failed", true}}}});
    if (i > 10)
      break;
  }
  EXPECT_EQ(given, held);
}

TEST_P(FleetOnEachStore, GivesTheTrialToAnotherWhenTheSidecarHasVanishedToo) {
  START_SIDECAR(1);
  Json held;
  Json given;
  // A busy machine may let the store answer too late: then another study begins.
  for (; runs_ < 3 && (given.is_null() || given != held); ++runs_) {
    begin_study();
    {
      ByHand vanishing(options_, space_);
      held = first_trial(vanishing);
      sidecar_->end(SIGKILL);
    }
    start_sidecar(1);
    std::this_thread::sleep_for(1100ms); // longer than the lease
    ByHand other(options_, space_);
    given = first_trial(other);
  }
  EXPECT_FALSE(given.is_null());
  EXPECT_EQ(given, held);
}

TEST_F(FleetTest, ASidecarOutlivesBadRequests) {
  START_SIDECAR();
  LineSocket socket = or_throw(LineSocket::connect(options_.socket));
  for (const char *bad :
       {"garbage", "[]", "{}", R"({"ask":1})", R"({"open":{}})", R"({"open":3})",
        R"({"open":{"space":{"dimensions":[{}]},"study":"s","content":"c"}})", "\xff\xfe"})
    EXPECT_THAT(or_throw(socket.exchange(bad, 60s)), HasSubstr("error")) << bad;
  ByHand replica(options_, space_);
  EXPECT_TRUE(replica.answer({{"tell", {{"id", 99}, {"score", 1}}}}).contains("error"));
  EXPECT_TRUE(
      replica.answer({{"tell", {{"configuration", {{"T0", 5}}}, {"score", 1}}}}).contains("error"));
  EXPECT_TRUE(replica.answer({{"tell", {{"configuration", {{"T0", 4}}}, {"score", nullptr}}}})
                  .contains("error"));
  EXPECT_EQ(replica.answer({{"ask", 1}})["trials"].size(), 1U);
}

TEST_F(FleetTest, KeepsToConstraints) {
  START_SIDECAR();
  for (;;) {
    begin_study();
    space_ = space_of(3, {.relations = {"T0 <= 32", "T1 >= 32"}});
    auto search = replica("one");
    try_all(*search); // polls each
    if (is_disturbed())
      continue;
    EXPECT_EQ(tried_.size(), 20U);
    return;
  }
}

INSTANTIATE_TEST_SUITE_P(Redis, FleetOnEachStore, testing::Values("redis"));
INSTANTIATE_TEST_SUITE_P(PostgreSQL, FleetOnEachStore, testing::Values("postgres"));

/// A sidecar that answers every line with the same text.
class OddSidecar {
public:
  OddSidecar(std::string path, const std::string &answer)
      : server_(std::move(path), [answer](int connection) {
          char buffer[65536];
          while (read(connection, buffer, sizeof buffer) > 0 &&
                 send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) > 0) {
          }
        }) {}

private:
  testing_aids::OddServer server_;
};

class AloneTest : public testing::Test {
protected:
  /// Number of `fleet_lost` events when a replica uses the given sidecar.
  std::size_t losses(std::chrono::milliseconds patience = 60s) {
    FleetOptions options;
    options.socket = path_;
    options.study = "study";
    options.most_trials = 15;
    options.patience = patience;
    options.retry = 1ms;
    const SearchSpace space = space_of(3);
    std::atomic<std::size_t> lost = 0;
    FleetSearch search(space, options, "content", [&](std::string_view event, std::string_view) {
      lost += event == "fleet_lost" ? 1 : 0;
    });
    std::size_t tried = 0;
    for (; tried < 100; ++tried) {
      const auto next = search.ask();
      if (!next)
        break;
      EXPECT_TRUE(space.allows(*next));
      search.tell({.configuration = *next, .score = score_of(*next)});
    }
    EXPECT_EQ(tried, 15U);
    EXPECT_GT(search.best().estimate.mean, 0);
    return lost;
  }

  std::string path_ = "/tmp/sartor-sidecar-" + std::to_string(getpid());
};

TEST_F(AloneTest, WithoutASidecarAReplicaGoesOnAloneAndSaysSoOnce) { EXPECT_EQ(losses(), 1U); }

TEST_F(AloneTest, GarbageOfASidecarIsASidecarLost) {
  for (const char *garbage :
       {"hello\n", "\n", "[]\n", "{}\n", "{\"ok\":1}\n", "{\"error\":7}\n", "{\"error\":\"no\"}\n",
        "\xff\n", "{\"ok\":true,\"trials\":7}\n",
        "{\"ok\":true,\"trials\":[{\"id\":\"x\"}],\"done\":false,\"running\":0}\n"}) {
    const OddSidecar sidecar(path_, garbage);
    EXPECT_GE(losses(), 1U) << garbage;
  }
}

/// A sidecar whose last trial is refused by the replica's constraints, so that it has another one.
class RefusedLast {
public:
  explicit RefusedLast(std::string path)
      : server_(std::move(path), [](int connection) {
          char buffer[65536];
          int asked = 0;
          for (ssize_t size = 0; (size = read(connection, buffer, sizeof buffer)) > 0;) {
            const std::string_view line(buffer, static_cast<std::size_t>(size));
            std::string answer = R"({"ok":true,"best":null})";
            if (line.contains(R"("ask")"))
              answer = trial(asked++ == 0 ? 64 : 16);
            (void)send(connection, (answer += '\n').data(), answer.size(), MSG_NOSIGNAL);
          }
        }) {}

private:
  static std::string trial(int value) {
    return R"({"ok":true,"done":true,"running":0,"trials":[{"id":1,"configuration":{"T0":)" +
           std::to_string(value) + R"(,"T1":4,"T2":4}}]})";
  }

  testing_aids::OddServer server_;
};

TEST_F(AloneTest, ATrialThatConstraintsRefuseIsNotTheLast) {
  const RefusedLast sidecar(path_);
  FleetOptions options;
  options.socket = path_;
  options.study = "study";
  options.most_trials = 1;
  options.patience = 60s;
  const SearchSpace space = space_of(3, {.relations = {"T0 <= 32"}});
  FleetSearch search(space, options, "content", [](std::string_view, std::string_view) {});
  const auto next = search.ask();
  ASSERT_TRUE(next);
  EXPECT_TRUE(space.allows(*next));
}

TEST_F(AloneTest, TheSidecarIsWaitedForHoweverLongThePatienceIs) {
  const RefusedLast sidecar(path_);
  FleetOptions options;
  options.socket = path_;
  options.study = "study";
  options.patience = std::chrono::milliseconds::max();
  const SearchSpace space = space_of(3, {.relations = {"T0 <= 32"}});
  FleetSearch search(space, options, "content", [](std::string_view, std::string_view) {});
  EXPECT_EQ(search.ask(), (Configuration{{"T0", 16}, {"T1", 4}, {"T2", 4}}));
}

TEST_F(AloneTest, NumbersThatAreNotFiniteAreNotReported) {
  std::mutex mutex;
  std::string lines;
  const testing_aids::OddServer server(path_, [&](int connection) {
    char buffer[65536];
    const std::string answer = R"({"ok":true,"best":null,"trials":[],"done":true,"running":0})"
                               "\n";
    for (ssize_t size = 0; (size = read(connection, buffer, sizeof buffer)) > 0;) {
      {
        const std::scoped_lock lock(mutex);
        lines.append(buffer, static_cast<std::size_t>(size));
      }
      (void)send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  });
  FleetOptions options;
  options.socket = path_;
  options.study = "study";
  options.patience = 60s;
  std::atomic<std::size_t> lost = 0;
  {
    FleetSearch search(space_of(3), options, "content", [&](std::string_view event, auto) {
      lost += event == "fleet_lost" ? 1 : 0;
    });
    EXPECT_FALSE(search.ask()); // waits for the sidecar
    const Configuration some{{"T0", 16}, {"T1", 4}, {"T2", 4}};
    search.tell({.configuration = some, .score = 5, .error = NAN});
    search.tell({.configuration = some, .score = 5, .error = INFINITY, .reference = 4});
    search.tell({.configuration = some, .score = 5, .reference = NAN});
  }
  const std::scoped_lock lock(mutex);
  EXPECT_THAT(lines, Not(HasSubstr(R"("score":null)")));
  EXPECT_THAT(lines, Not(HasSubstr(R"("error":null)")));
  EXPECT_THAT(lines, HasSubstr(R"("score":5.0,"error":0.0)"));
  EXPECT_EQ(lost, 0U);
}

TEST_F(AloneTest, AttemptsToConnectAreApartWithoutAnInterval) {
  std::atomic<std::int64_t> attempts = 0;
  const testing_aids::OddServer server(path_, [&](int) { ++attempts; });
  FleetOptions options;
  options.socket = path_;
  options.study = "study";
  options.retry = 0ms;
  const auto began = std::chrono::steady_clock::now();
  {
    const FleetSearch search(space_of(3), options, "content",
                             [](std::string_view, std::string_view) {});
    std::this_thread::sleep_for(300ms);
  }
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  EXPECT_LE(attempts, took.count() + 1);
}

TEST_F(AloneTest, ASilentSidecarIsNotWaitedForLong) {
  const OddSidecar sidecar(path_, "no end of a line");
  losses(500ms);
}

} // namespace
} // namespace sartor
