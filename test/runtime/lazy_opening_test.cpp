// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options::lazy_opening. The tests of other files also run with it; see CMakeLists.txt.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/arithmetic.h"
#include "handlers/routes.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::Configuration;
using sartor::ErrorCode;
using sartor::Options;
using sartor::Runtime;
using testing::HasSubstr;

Options lazily() {
  Options options;
  options.lazy_opening = true;
  return options;
}

bool is_compiler_mapped() {
  std::ifstream maps("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  return text.find("libsartor-compiler") != std::string::npos;
}

constexpr std::uint64_t kSum = 35; // scale(7, 5, 1)

TEST(LazyOpening, LoadsNoCompilerUntilSomethingIsWanted) {
  if (is_compiler_mapped())
    GTEST_SKIP() << "another test of this process has loaded it";
  Runtime runtime(lazily());
  const auto call = runtime.handler<&scale>();
  EXPECT_EQ(call(7, 5, 1), kSum);
  EXPECT_EQ(runtime.configuration(), Configuration());
  EXPECT_TRUE(runtime.opening());
  EXPECT_FALSE(is_compiler_mapped());
  runtime.specialize({{"factor", 5}});
  EXPECT_TRUE(is_compiler_mapped());
  EXPECT_FALSE(runtime.opening());
  EXPECT_EQ(call(7, 5, 1), kSum);
  EXPECT_EQ(call(7, 3, 1), 21U); // the guard fails
}

TEST(LazyOpening, GivesTheDescriptionOfTheHandlers) {
  const Runtime lazy(lazily());
  const Runtime ready;
  EXPECT_EQ(lazy.space().json(), ready.space().json());
  EXPECT_EQ(lazy.handlers(), ready.handlers());
  EXPECT_EQ(lazy.content(), ready.content());
  EXPECT_TRUE(Runtime(lazily()).active());
}

TEST(LazyOpening, ServesRequestsInTheirOrder) {
  for (int round = 0; round < 20; ++round) {
    Runtime runtime(lazily());
    const auto call = runtime.handler<&scale>();
    std::vector<std::future<std::vector<sartor::VariantInfo>>> futures;
    for (int i = 0; i < 12; ++i) {
      futures.push_back(runtime.specialize_async({{"factor", i % 2 ? 2 : 3}}));
      std::this_thread::sleep_for(std::chrono::milliseconds(round % 4));
    }
    const Configuration last{{"factor", sartor::unguarded(5)}};
    futures.push_back(runtime.specialize_async(last));
    EXPECT_EQ(runtime.configuration(), last);
    for (auto &future : futures)
      future.get();
    EXPECT_EQ(call(7, 2, 1), kSum); // unguarded
    EXPECT_EQ(runtime.configuration(), last);
  }
}

TEST(LazyOpening, BindsBeforeAndMeanwhile) {
  Runtime runtime(lazily());
  const Routes routes = some_routes(5);
  const auto before = runtime.bind<&forward>(&routes, _, 1);
  EXPECT_EQ(before(40U), 5001U); // native code, perhaps
  const auto meanwhile = runtime.bind<&forward>(&routes, _, 2);
  EXPECT_FALSE(before.wait().name.empty());
  EXPECT_FALSE(meanwhile.wait().name.empty());
  EXPECT_EQ(before(40U), 5001U);
  EXPECT_EQ(meanwhile(40U), 5002U);
}

TEST(LazyOpening, ReportsABindingOfAFunctionThatIsNoHandler) {
  Runtime runtime(lazily());
  const auto bound = runtime.bind<&find_port>(nullptr, _);
  EXPECT_EQ(failing([&] { (void)bound.wait(); }), ErrorCode::unknown_handler);
  EXPECT_EQ(failing([&] { (void)runtime.handler<&find_port>(); }), ErrorCode::unknown_handler);
}

TEST(LazyOpening, RefusesOtherUsesOfAFunctionThatIsNoHandler) {
  Runtime runtime(lazily());
  EXPECT_EQ(failing([&] { runtime.limit_bindings<&find_port>(3); }), ErrorCode::unknown_handler);
  Runtime second(lazily());
  const auto call = second.handler<&find_port>();
  EXPECT_EQ(failing([&] { (void)call.function(); }), ErrorCode::unknown_handler);
  Runtime third(lazily());
  const auto bound = third.bind<&find_port>(nullptr, _);
  EXPECT_EQ(failing([&] { (void)bound.wait(); }), ErrorCode::unknown_handler);
  EXPECT_EQ(failing([&] { (void)bound.bind(40U); }), ErrorCode::unknown_handler);
}

TEST(LazyOpening, BindsFurtherAfterARequestThatFails) {
  Runtime runtime(lazily());
  const Routes routes = some_routes(5);
  auto refused = runtime.specialize_async({{"no_such_label", 1}});
  const auto bound = runtime.bind<&forward>(&routes, _, _);
  (void)bound.wait();
  EXPECT_EQ(failing([&] { refused.get(); }), ErrorCode::unknown_label);
  const auto further = bound.bind(_, 2);
  (void)further.wait();
  EXPECT_EQ(further(40U), 5002U);
}

TEST(LazyOpening, RefusesHandlersAndFormsAsOtherRuntimesDo) {
  Runtime runtime(lazily());
  EXPECT_EQ(failing([&] { (void)runtime.handler<int(int)>("no_such_handler"); }),
            ErrorCode::unknown_handler);
  EXPECT_EQ(failing([&] { (void)Runtime(lazily()).handler<float(float)>("scale"); }),
            ErrorCode::wrong_signature);
  EXPECT_EQ(failing([&] { Runtime(lazily()).specialize({{"fctor", 5}}); }),
            ErrorCode::unknown_label);
  EXPECT_EQ(failing([&] { Runtime(lazily()).specialize_async({{"factor", 4}}).get(); }),
            ErrorCode::value_outside_choices);
}

TEST(LazyOpening, WithoutACompilerIsInactive) {
  Options options = lazily();
  options.compiler = sartor::CompilerLocation::none;
  Runtime runtime(options);
  const auto call = runtime.handler<&scale>();
  auto future = runtime.specialize_async({{"factor", 5}});
  EXPECT_EQ(failing([&] { future.get(); }), ErrorCode::no_compiler);
  EXPECT_EQ(failing([&] { runtime.specialize({{"factor", 5}}); }), ErrorCode::no_compiler);
  EXPECT_FALSE(runtime.active());
  EXPECT_FALSE(runtime.opening());
  EXPECT_TRUE(runtime.space().points().empty());
  EXPECT_EQ(call(7, 5, 1), kSum);
}

TEST(LazyOpening, GoesOnTryingWhileItsServerIsAway) {
  Options options = lazily();
  options.compiler = sartor::CompilerLocation::server;
  options.compiler_server.address = "unix:/nonexistent/socket";
  Runtime runtime(options);
  const auto call = runtime.handler<&scale>();
  EXPECT_EQ(failing([&] { runtime.specialize({{"factor", 5}}); }), ErrorCode::compiler_lost);
  EXPECT_TRUE(runtime.opening());
  EXPECT_TRUE(runtime.space().points().empty());
  std::this_thread::sleep_for(1500ms); // it tries again after about a second
  EXPECT_TRUE(runtime.opening());
  EXPECT_EQ(call(7, 5, 1), kSum);
}

TEST(LazyOpening, MayEndAtAnyTime) {
  for (int round = 0; round < 40; ++round) {
    auto runtime = std::make_unique<Runtime>(lazily());
    auto future = runtime->specialize_async({{"factor", 5}});
    std::this_thread::sleep_for(std::chrono::microseconds(500 * round));
    runtime.reset();
    // Either it was served, or it says why it was not.
    ASSERT_EQ(future.wait_for(1min), std::future_status::ready);
    try {
      future.get();
    } catch (const sartor::Error &error) {
      EXPECT_EQ(error.code(), ErrorCode::closing) << error.what();
    }
  }
  const Runtime never(lazily());
}

TEST(LazyOpening, IsSharedByManyThreads) {
  for (int round = 0; round < 5; ++round) {
    Runtime runtime(lazily());
    const Routes routes = some_routes(5);
    const auto call = runtime.handler<&scale>();
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        if (thread == 0) {
          EXPECT_FALSE(runtime.space().points().empty());
        } else if (thread == 1) {
          runtime.specialize({{"factor", 5}});
        } else {
          const auto bound = runtime.bind<&forward>(&routes, _, thread);
          bound.wait();
          EXPECT_EQ(bound(40U), 5000U + static_cast<unsigned>(thread));
        }
        EXPECT_EQ(call(7, 5, 1), kSum);
      });
  }
}

/// Runs `body` in a child process, and returns whether that ended with success.
template <class Body> bool succeeds_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(LazyOpening, HappensInTheChildOfAForkToo) {
  Runtime runtime(lazily());
  const auto call = runtime.handler<&scale>();
  EXPECT_TRUE(succeeds_in_child([&] {
    runtime.specialize({{"factor", 5}});
    return call(7, 5, 1) == kSum && runtime.active();
  }));
  runtime.specialize({{"factor", 5}});
  EXPECT_EQ(call(7, 5, 1), kSum);
}

TEST(LazyOpening, SurvivesAForkMeanwhile) {
  for (int round = 0; round < 12; ++round) {
    Runtime runtime(lazily());
    const auto call = runtime.handler<&scale>();
    auto future = runtime.specialize_async({{"factor", 5}});
    std::this_thread::sleep_for(std::chrono::microseconds(700 * round));
    // The child may be unable to compile, and says so then; it never waits for ever.
    EXPECT_TRUE(succeeds_in_child([&] {
      alarm(250);
      const auto code = failing([&] { runtime.specialize({{"factor", 3}}); });
      return (!code || code == ErrorCode::forked) && call(7, 3, 1) == 21;
    }));
    future.get();
    EXPECT_EQ(call(7, 5, 1), kSum);
  }
}

TEST(LazyOpening, ReportsEventsFromTheBeginning) {
  const auto path =
      std::filesystem::temp_directory_path() / ("sartor-lazy-" + std::to_string(getpid()) + ".log");
  {
    Options options = lazily();
    options.event_log = path;
    Runtime runtime(options);
    runtime.specialize({{"factor", 5}});
  }
  std::ifstream file(path);
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  EXPECT_THAT(log, HasSubstr(R"("event":"opened_late")"));
  EXPECT_THAT(log, HasSubstr(R"("event":"switch")"));
}

TEST(LazyOpening, IsAskedForByTheEnvironment) {
  setenv("SARTOR_OPENING", "lazy", 1);
  EXPECT_TRUE(Runtime().opening());
  setenv("SARTOR_OPENING", "at-once", 1);
  EXPECT_FALSE(Runtime(lazily()).opening());
  setenv("SARTOR_OPENING", "sometime", 1);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Runtime(lazily()).opening());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("SARTOR_OPENING=sometime means nothing: write lazy or at-once"));
  unsetenv("SARTOR_OPENING");
}

} // namespace
