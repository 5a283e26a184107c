// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that are not compared although all are to be: an event has the reason.
#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/runtime.hpp>

#include "../without_sanitizers.h"
#include "incomparable_handlers.h"

namespace {

using nlohmann::json;
using sartor::Options;
using sartor::Runtime;
using sartor::Verification;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

const int kUnset = unsetenv("SARTOR_VERIFY") + unsetenv("SARTOR_STATE_DIR") +
                   unsetenv("SARTOR_EVENT_LOG") + unsetenv("SARTOR_ABORT_ON_DIFFERENCE");

class NotCompared : public testing::Test {
protected:
  NotCompared() {
    std::string name = testing::TempDir() + "/not-compared.XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~NotCompared() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] Options options(const Verification &verify = {.every = 1}) const {
    Options options;
    options.verify = verify;
    options.state_directory = directory_ / "state";
    options.event_log = directory_ / "events";
    options.quick_tier = false;
    return options;
  }
  /// The events so far, for a handler.
  [[nodiscard]] std::vector<json> events(const std::string &handler) const {
    std::vector<json> found;
    std::ifstream log(directory_ / "events");
    for (std::string line; std::getline(log, line) && !log.eof();)
      if (json event = json::parse(line);
          event["event"] == "not_compared" && event["handler"] == handler)
        found.push_back(std::move(event));
    return found;
  }
  /// Calls until there is an event for the handler, which is returned; the test's limit ends it.
  [[nodiscard]] json event_after(const std::string &handler,
                                 const std::function<void()> &call) const {
    for (;;) {
      call();
      if (const auto found = events(handler); !found.empty())
        return found.front();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  static void wait_until(const std::function<bool()> &holds) {
    while (!holds())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::filesystem::path directory_;
};

TEST_F(NotCompared, AConstructIsNamedOnceWithItsPlace) {
  Runtime runtime(options());
  auto reader = runtime.handler<&reads_volatile>();
  runtime.specialize({{"reads_volatile", 2}});
  const json event = event_after("reads_volatile", [&] { EXPECT_EQ(reader(3, 2), 6); });
  EXPECT_EQ(event["reason"], "volatile_memory");
  EXPECT_EQ(event["message"], "reads_volatile() accesses volatile memory");
  EXPECT_EQ(event["remedy"], "move the access out of the handler");
  EXPECT_THAT(event["file"].get<std::string>(), EndsWith("incomparable_handlers.c"));
  EXPECT_EQ(event["line"], 14);
  EXPECT_FALSE(event.contains("error"));
  runtime.specialize({{"reads_volatile", 1}});
  EXPECT_EQ(reader(3, 1), 3);
  EXPECT_EQ(events("reads_volatile").size(), 1U);
}

TEST_F(NotCompared, TheMarkIsNamed) {
  Runtime runtime(options());
  runtime.specialize({{"marked", 2}});
  EXPECT_EQ(event_after("marked", [] {})["reason"], "unordered");
}

TEST_F(NotCompared, NothingIsSaidOfCallsThatAreCompared) {
  Runtime runtime(options());
  auto call = runtime.handler<&plain>();
  runtime.specialize({{"plain", 2}});
  wait_until([&] {
    EXPECT_EQ(call(3, 2), 7);
    return runtime.statistics().verified > 100;
  });
  EXPECT_THAT(events("plain"), IsEmpty());
}

TEST_F(NotCompared, NothingIsSaidUnlessAllOrSomeOfAllCallsAreToBeCompared) {
  for (const Verification &verify : {Verification::on(), Verification::off()}) {
    Runtime runtime(options(verify));
    auto reader = runtime.handler<&reads_volatile>();
    auto call = runtime.handler<&plain>();
    runtime.specialize({{"reads_volatile", 2}, {"plain", 2}});
    if (verify == Verification::on())
      wait_until([&] {
        EXPECT_EQ(call(3, 2), 7);
        return runtime.statistics().verified > 0;
      });
    EXPECT_EQ(reader(3, 2), 6);
  }
  EXPECT_THAT(events("reads_volatile"), IsEmpty());
}

TEST_F(NotCompared, SystemCallsAreNamed) {
  SARTOR_NEEDS_NO_SANITIZER("calls in child processes are not compared");
  Runtime runtime(options());
  auto call = runtime.handler<&asks>();
  runtime.specialize({{"asks", 2}});
  const json event = event_after("asks", [&] { EXPECT_EQ(call(3, 2), 7); });
  EXPECT_EQ(event["reason"], "isolation");
  EXPECT_THAT(event["message"].get<std::string>(), HasSubstr("makes the system call getppid"));
}

TEST_F(NotCompared, ResultsThatTheInputDoesNotDecideAreNamed) {
  SARTOR_NEEDS_NO_SANITIZER("the first call is made in a child process");
  Runtime runtime(options());
  auto call = runtime.handler<&counts>();
  runtime.specialize({{"counts", 2}});
  EXPECT_EQ(event_after("counts", [&] { (void)call(3, 2); })["reason"], "undetermined");
}

TEST_F(NotCompared, MemoryThatIsTooLargeIsNamed) {
  Runtime runtime(options());
  auto call = runtime.handler<&fills>();
  runtime.specialize({{"fills", 2}});
  std::vector<long> many(1U << 18);
  const json event = event_after("fills", [&] { call(many.data(), 1L << 18, 2); });
  EXPECT_EQ(event["reason"], "input");
  // Other calls are compared.
  const auto before = runtime.statistics().verified;
  wait_until([&] {
    call(many.data(), 4, 2);
    return runtime.statistics().verified > before;
  });
  EXPECT_EQ(events("fills").size(), 1U);
}

TEST_F(NotCompared, AnotherRoundingModeIsNamed) {
  Runtime runtime(options());
  auto call = runtime.handler<&plain>();
  runtime.specialize({{"plain", 2}});
  std::fesetround(FE_UPWARD);
  const json event = event_after("plain", [&] { (void)call(3, 2); });
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(event["reason"], "floating_point");
}

TEST_F(NotCompared, EachVariantWithoutGuardsIsNamed) {
  Runtime runtime(options());
  auto call = runtime.handler<&plain>();
  runtime.specialize({{"plain", 2}});
  wait_until([&] {
    (void)call(3, 2);
    return runtime.statistics().verified > 0;
  });
  for (const int setting : {1, 2, 1})
    runtime.specialize({{"plain", sartor::unguarded(setting)}});
  std::vector<std::string> texts;
  for (const json &event : events("plain")) {
    EXPECT_EQ(event["reason"], "unguarded");
    EXPECT_EQ(event["remedy"], "guard the setting");
    texts.push_back(event["text"]);
  }
  EXPECT_THAT(texts, testing::ElementsAre("{plain=1!}", "{plain=2!}"));
}

TEST_F(NotCompared, AVariantThatCountsIsNamed) {
  Options with_quick = options();
  with_quick.quick_tier = true;
  Runtime runtime(with_quick);
  runtime.specialize({{"plain", 2}});
  runtime.instrument({{"plain", 1}});
  std::vector<json> found; // of the variant; there may be one of generic code
  wait_until([&] {
    found = events("plain");
    std::erase_if(found, [](const json &event) { return event["text"] != "{plain=2}"; });
    return !found.empty();
  });
  EXPECT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front()["reason"], "instrumented");
}

TEST_F(NotCompared, AFastPathIsNamedIfCallsAreComparedInAChildProcess) {
  SARTOR_NEEDS_NO_SANITIZER("calls in child processes are not compared");
  Runtime runtime(options());
  auto call = runtime.handler<&remembers>();
  runtime.instrument({{"remembers", 1}});
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(call(3), 9);
  runtime.instrument({});
  runtime.specialize({{"remembers", 1}});
  std::vector<std::string> reasons;
  wait_until([&] {
    EXPECT_EQ(call(3), 9);
    reasons.clear();
    for (const json &event : events("remembers"))
      reasons.push_back(event["reason"]);
    return std::ranges::count(reasons, "fast_path") > 0;
  });
  EXPECT_EQ(std::ranges::count(reasons, "fast_path"), 1);
}

TEST_F(NotCompared, CodeForComparingThatCannotBeHadIsNamed) {
  Options with_cache = options(Verification::off());
  with_cache.cache_directory = directory_ / "cache";
  {
    Runtime(with_cache).specialize({{"plain", 2}});
  }
  with_cache.verify = {.every = 1};
  Runtime runtime(with_cache);
  runtime.specialize({{"plain", 2}}); // which is found in the cache
  const json event = event_after("plain", [] {});
  EXPECT_EQ(event["reason"], "no_checking_code");
  EXPECT_EQ(event["error"], "no_compiler");
  EXPECT_THAT(event["message"].get<std::string>(), HasSubstr("is in no cache"));
}

/// The debugger of another process, until the end.
class Debugger {
public:
  explicit Debugger(pid_t debugged) {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    int ends[2];
    if (pipe(ends) != 0)
      return;
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const char is_there = ptrace(PTRACE_SEIZE, debugged, nullptr, nullptr) == 0 ? 'y' : 'n';
      if (write(ends[1], &is_there, 1) != 1)
        _exit(1);
      for (;;)
        pause();
    }
    char answer = 'n';
    is_there_ = read(ends[0], &answer, 1) == 1 && answer == 'y';
    close(ends[0]);
    close(ends[1]);
  }
  ~Debugger() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Debugger(const Debugger &) = delete;
  Debugger &operator=(const Debugger &) = delete;
  [[nodiscard]] bool is_there() const { return is_there_; }

private:
  pid_t process_ = -1;
  bool is_there_ = false;
};

TEST_F(NotCompared, ADebuggerIsNamed) {
  Runtime runtime(options());
  auto call = runtime.handler<&plain>();
  const Debugger debugger(getpid());
  if (!debugger.is_there())
    GTEST_SKIP() << "this process may not be debugged";
  runtime.specialize({{"plain", 2}});
  const json event = event_after("plain", [&] { EXPECT_EQ(call(3, 2), 7); });
  EXPECT_EQ(event["reason"], "debugger");
}

TEST_F(NotCompared, ABindingIsComparedAgainWhenItIsMadeAgain) {
  Runtime runtime(options());
  for (int i = 0; i < 3; ++i) {
    const auto bound = runtime.bind<&plain>(sartor::_, 2);
    const auto before = runtime.statistics().verified;
    wait_until([&] {
      EXPECT_EQ(bound(3), 7);
      return runtime.statistics().verified > before;
    });
  }
}

} // namespace
