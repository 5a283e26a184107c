// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers are switched off and on, and configurations pinned, while the program runs.
#include <stop_token>
#include <vector>

#include <sys/wait.h>

#include "program.h"

namespace {

TEST_F(Controlled, OffLeadsCallsToNativeCodeAndOnUndoesIt) {
  runtime_.specialize(factor(3));
  ASSERT_EQ(call(), kVariant);
  do_it({{"do", "off"}, {"name", "scale"}});
  EXPECT_EQ(call(), kNative);
  EXPECT_EQ(runtime_status().at("off"), nlohmann::json{"scale"});
  do_it({{"do", "on"}, {"name", "scale"}});
  EXPECT_EQ(call(), kVariant);
  EXPECT_TRUE(runtime_status().at("off").empty());
}

TEST_F(Controlled, OffSurvivesWhatTheProgramActivates) {
  do_it({{"do", "off"}, {"name", ""}});
  runtime_.specialize(factor(5));
  EXPECT_EQ(call(), kNative);
  runtime_.specialize(factor(3));
  EXPECT_EQ(call(), kNative);
  do_it({{"do", "on"}, {"name", ""}});
  EXPECT_EQ(call(), kVariant); // the latest
}

TEST_F(Controlled, OffByLabelConcernsAllHandlersOfThePoint) {
  runtime_.specialize({{"factor", sartor::unguarded(3)}, {"offset", sartor::unguarded(4)}});
  auto shift_by = runtime_.handler<&shift>();
  ASSERT_EQ(shift_by(10, 1, 1), 14);
  do_it({{"do", "off"}, {"name", "common"}}); // a label of both
  EXPECT_EQ(call(), kNative);
  EXPECT_EQ(shift_by(10, 1, 1), 11);
  do_it({{"do", "off"}, {"name", "factor"}});
  do_it({{"do", "on"}, {"name", "common"}});
  EXPECT_EQ(call(), kNative);
  EXPECT_EQ(shift_by(10, 1, 1), 14);
}

TEST_F(Controlled, OffConcernsBindings) {
  const auto bound = runtime_.bind<&scale>(sartor::_, std::uint64_t{2}, sartor::_);
  (void)bound.wait();
  runtime_.specialize(factor(3));
  do_it({{"do", "off"}, {"name", "scale"}});
  EXPECT_EQ(bound(7, 1), kNative);
  const auto later = runtime_.bind<&scale>(sartor::_, sartor::_, 1U);
  (void)later.wait();
  EXPECT_EQ(later(7, 2), kNative);
  for (const auto &variant : client_.ask({{"do", "variants"}}).at("variants"))
    if (variant.at("handler") == "scale") {
      EXPECT_FALSE(variant.at("active")) << variant;
    }
}

TEST_F(Controlled, ANameThatMeansNothingIsRefused) {
  const auto error = error_of({{"do", "off"}, {"name", "scael"}});
  EXPECT_EQ(error.at("code"), "unknown_handler");
  EXPECT_EQ(error.at("subject"), "scael");
  EXPECT_EQ(error_of({{"do", "on"}, {"name", "scale"}}).at("message"), "is not switched off");
  EXPECT_EQ(error_of({{"do", "off"}, {"name", 7}}).at("code"), "bad_argument");
}

TEST_F(Controlled, APinnedConfigurationStaysActive) {
  runtime_.specialize(factor(5));
  do_it({{"do", "pin"}, {"configuration", {{"factor", {{"guard", false}, {"values", {3}}}}}}});
  ASSERT_TRUE(comes_true([&] { return call() == kVariant; }));
  runtime_.specialize(factor(2));
  EXPECT_EQ(call(), kVariant);
  EXPECT_EQ(runtime_.configuration(), factor(3));
  do_it({{"do", "unpin"}});
  EXPECT_TRUE(comes_true([&] { return call() == kNative; })); // 7 * 2, as the program requested
  EXPECT_EQ(error_of({{"do", "unpin"}}).at("message"), "nothing is pinned");
}

TEST_F(Controlled, TheLastRequestIsServedAfterUnpinning) {
  runtime_.specialize(factor(5));
  do_it({{"do", "pin"}, {"configuration", {{"factor", {{"guard", false}, {"values", {3}}}}}}});
  runtime_.specialize(factor(2));
  runtime_.specialize(factor(3)); // the pinned one
  do_it({{"do", "unpin"}});
  EXPECT_EQ(runtime_.configuration(), factor(3));
  do_it({{"do", "pin"}, {"configuration", {{"factor", {{"guard", false}, {"values", {5}}}}}}});
  do_it({{"do", "unpin"}});
  EXPECT_EQ(runtime_.configuration(), factor(3));
}

TEST_F(Controlled, AWrongConfigurationIsNotPinned) {
  EXPECT_EQ(error_of({{"do", "pin"}, {"configuration", {{"factr", 3}}}}).at("code"),
            "unknown_label");
  EXPECT_EQ(error_of({{"do", "pin"}, {"configuration", {{"factor", 4}}}}).at("code"),
            "value_outside_choices");
  EXPECT_EQ(error_of({{"do", "pin"}}).at("code"), "bad_argument");
  EXPECT_FALSE(runtime_status().contains("pinned"));
}

// Each call gives the result of native code or of a variant, whenever a switch happens.
TEST_F(Controlled, SwitchesWhileThreadsCall) {
  runtime_.specialize(factor(3));
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> wrong = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i)
    callers.emplace_back([&] {
      while (!done)
        if (const auto result = call(); result != kNative && result != kVariant && result != 35)
          ++wrong;
    });
  for (int i = 0; i < 50; ++i) {
    do_it({{"do", "off"}, {"name", "scale"}});
    EXPECT_EQ(call(), kNative);
    if (i % 5 == 0)
      runtime_.specialize(factor(i % 2 == 0 ? 5 : 3));
    EXPECT_EQ(call(), kNative);
    do_it({{"do", "on"}, {"name", "scale"}});
  }
  done = true;
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0U);
}

/// An explorer whose objective is what the program counts.
sartor::Explorer explorer_of(sartor::Runtime &runtime, std::atomic<std::uint64_t> &work) {
  sartor::ExplorerOptions options;
  options.confirm_for = std::chrono::milliseconds(50);
  options.most_samples = 20;
  options.regression_budget = 0.9; // trials follow one another without pauses
  return {runtime, sartor::Objective::rate_of(work), options};
}

TEST_F(Controlled, AChildOfAnExploringProcessDoesNotExplore) {
  std::atomic<std::uint64_t> work = 0;
  std::atomic<bool> explores = false;
  std::atomic<bool> goes_on = false;
  sartor::ExplorerOptions options;
  options.strategy = [&](const sartor::SearchSpace &space) {
    explores = true;
    EXPECT_TRUE(comes_true([&] { return goes_on.load(); }));
    return sartor::random_search(space);
  };
  sartor::Explorer explorer(runtime_, sartor::Objective::rate_of(work), options);
  std::stop_source stop;
  std::thread caller([&] { (void)explorer.explore(stop.get_token()); });
  const auto state_of = [](pid_t process) {
    return Client(process).ask({{"do", "status"}}).at("explorers").back().at("state");
  };
  EXPECT_TRUE(comes_true([&] { return explores.load(); }));
  EXPECT_EQ(state_of(getpid()), "exploring");
  const pid_t child = fork();
  if (child == 0)
    _exit(state_of(getpid()) == "stopped" ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  stop.request_stop();
  goes_on = true;
  caller.join();
}

TEST_F(Controlled, ExplorersRestWhileSomethingIsOverridden) {
  std::atomic<std::uint64_t> work = 0;
  std::atomic<bool> done = false;
  std::thread caller([&] {
    while (!done) {
      (void)call();
      ++work;
    }
  });
  {
    sartor::Explorer explorer = explorer_of(runtime_, work);
    explorer.start();
    const auto state = [&] {
      return client_.ask({{"do", "status"}}).at("explorers").back().at("state");
    };
    EXPECT_TRUE(comes_true([&] {
      const auto row = client_.ask({{"do", "status"}}).at("explorers").back();
      if (row.at("state") == "watching") // the exploration ended before it was seen
        (void)client_.ask({{"do", "explore"}});
      if (!row.contains("exploration") || row["exploration"].at("best").empty())
        return false;
      const auto &best = row["exploration"]["best"].front();
      EXPECT_EQ(best.at("of_best"), 1.0);
      EXPECT_GT(row["exploration"].at("samples"), 0U);
      EXPECT_GE(row["exploration"].at("candidates"), row["exploration"].at("tried"));
      return true;
    }));
    do_it({{"do", "off"}, {"name", ""}});
    EXPECT_TRUE(comes_true([&] { return state() == "overridden"; }));
    EXPECT_EQ(call(), kNative);
    EXPECT_EQ(error_of({{"do", "explore"}}).at("code"), "bad_argument");
    do_it({{"do", "on"}, {"name", ""}});
    EXPECT_TRUE(comes_true([&] { return state() != "overridden"; }));
  }
  EXPECT_TRUE(client_.ask({{"do", "status"}}).at("explorers").empty());
  done = true;
  caller.join();
}

} // namespace
