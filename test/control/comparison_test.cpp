// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators see of the comparison of calls with the native code, and of the compile queue.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "../sartor_command.h"
#include "paths.h"
#include "program.h"

namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// Undoes what the environment says of comparisons, which has precedence over options.
class OwnComparison {
public:
  OwnComparison() {
    for (const char *name : {"SARTOR_VERIFY", "SARTOR_STATE_DIR", "SARTOR_ABORT_ON_DIFFERENCE"}) {
      if (const char *value = std::getenv(name))
        before_[name] = value;
      unsetenv(name);
    }
  }
  ~OwnComparison() {
    for (const auto &[name, value] : before_)
      setenv(name.c_str(), value.c_str(), 1);
  }
  OwnComparison(const OwnComparison &) = delete;
  OwnComparison &operator=(const OwnComparison &) = delete;

private:
  std::map<std::string, std::string> before_;
};

sartor::Options with_comparison(const sartor::Verification &how) {
  sartor::Options options = with_control();
  options.verify = how;
  options.state_directory = runtime_directory() / "state";
  options.quick_tier = false;
  std::filesystem::remove_all(options.state_directory);
  return options;
}

bool compiles_nothing(Client &client) {
  const json queue = client.ask({{"do", "status"}}).at("compile_queue");
  return queue.at("running").empty() && queue.at("waiting") == 0;
}

class Compared : public testing::Test {
protected:
  /// Calls the handler until a condition holds.
  bool call_until(int factor, const std::function<bool()> &holds) {
    return comes_true([&] {
      scale_(7, factor, 1);
      return holds();
    });
  }
  json handler_status() {
    for (const json &handler : client_.ask({{"do", "status"}}).at("runtimes").back().at("handlers"))
      if (handler.at("handler") == "scale")
        return handler;
    return {};
  }
  void specialize(int factor) { runtime_.specialize({{"factor", factor}}); }

  const OwnComparison own_comparison_;
  sartor::Runtime runtime_{with_comparison({.every = 1})};
  sartor::Handler<std::uint64_t(std::uint64_t, std::uint64_t, unsigned)> scale_ =
      runtime_.handler<&scale>();
  Client client_{getpid()};
};

TEST_F(Compared, CallsAreCountedForTheHandlerAndTheActiveVariant) {
  specialize(2);
  ASSERT_TRUE(call_until(2, [&] { return runtime_.statistics().verified > 0; }));
  const json handler = handler_status();
  EXPECT_EQ(handler.at("comparison").at("how"), "pure");
  const std::string how = handler.at("comparison").at("text");
  EXPECT_THAT(how, StartsWith("in the process")); // and never in a child, with a sanitizer
  EXPECT_EQ(handler.at("comparison").at("compared"), runtime_.statistics().verified);
  EXPECT_EQ(handler.at("comparison").at("differences"), 0);
  EXPECT_EQ(handler.at("active").at("compared"), runtime_.statistics().verified);
  EXPECT_EQ(handler.at("active").at("differs"), false);
  for (const json &variant : client_.ask({{"do", "variants"}}).at("variants"))
    if (variant.at("active") == true && variant.at("handler") == "scale") {
      EXPECT_EQ(variant.at("comparison").at("how"), "pure");
    }
  const std::string pid = std::to_string(getpid());
  const std::string count = std::to_string(runtime_.statistics().verified);
  const std::string variants = command("variants " + pid);
  EXPECT_THAT(variants, HasSubstr("COMPARED"));
  EXPECT_THAT(variants, ContainsRegex("scale.factor=2.* " + count + " calls\n"));
  EXPECT_THAT(variants, HasSubstr("scale is compared " + how + "\n"));
  EXPECT_TRUE(comes_true([&] { return compiles_nothing(client_); }));
  const std::string top = command("top --once --interval 0.1 " + pid);
  EXPECT_THAT(top, HasSubstr("COMPARED"));
  EXPECT_THAT(top, HasSubstr("scale is compared " + how + "; calls so far: " + count));
  EXPECT_THAT(top, HasSubstr("compiling nothing  waiting 0"));
}

TEST_F(Compared, ADifferenceIsSeenEverywhere) {
  runtime_.customize_pipeline({"default<O1>,function(test-answer)", {paths::passes()}});
  specialize(3); // the result is 42
  ASSERT_TRUE(call_until(3, [&] { return runtime_.statistics().differences > 0; }));
  EXPECT_THROW(specialize(3), sartor::Error);
  const json handler = handler_status();
  EXPECT_TRUE(handler.at("active").is_null());
  EXPECT_EQ(handler.at("comparison").at("differences"), 1);
  EXPECT_EQ(handler.at("comparison").at("quarantined"), 1);
  const std::string labels = "{runtime=\"" +
                             client_.ask({{"do", "status"}}).at("runtimes").back().at("id").dump() +
                             "\",handler=\"scale\"";
  const std::string metrics = sartor::metrics();
  EXPECT_THAT(metrics, HasSubstr("sartor_differences_total" + labels + "} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("sartor_quarantined_requests_total" + labels + "} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("sartor_compared_calls_total" + labels + "} " +
                                 std::to_string(runtime_.statistics().verified) + "\n"));
  EXPECT_THAT(metrics,
              HasSubstr("sartor_handler_comparison_info" + labels + ",comparison=\"pure\"} 1\n"));
  const std::string top = command("top --once --interval 0.1 " + std::to_string(getpid()));
  EXPECT_THAT(top, ContainsRegex("scale +native code .*-, 1 differed\n"));
  EXPECT_THAT(top, HasSubstr("variants that differed: 1, requests in quarantine: 1"));
  EXPECT_THAT(top, ContainsRegex("difference +scale.factor=3.: gave another result"));
}

TEST_F(Controlled, NothingIsSaidOfComparisonsWithoutThem) {
  const OwnComparison own;
  const sartor::Runtime compares_nothing(with_comparison(sartor::Verification::off()));
  const json status = runtime_status();
  for (const json &handler : status.at("handlers"))
    EXPECT_TRUE(handler.at("comparison").is_null());
  const std::string label = "_total{runtime=\"" + status.at("id").dump() + "\"";
  EXPECT_THAT(sartor::metrics(), testing::Not(HasSubstr("sartor_compared_calls" + label)));
}

TEST_F(Controlled, TheCompileQueueSaysWhatIsCompiledNow) {
  std::atomic<bool> is_over = false;
  std::thread requests([&] {
    sartor::Options options = with_control();
    options.code_cache_bytes = 0; // keeps only the newest variant: each one is compiled anew
    sartor::Runtime other(options);
    while (!is_over) {
      other.specialize(factor(5));
      other.specialize(factor(2));
    }
  });
  json job;
  EXPECT_TRUE(comes_true([&] {
    for (const json &each : client_.ask({{"do", "status"}}).at("compile_queue").at("running"))
      if (each.at("handler") == "scale" && each.at("kind") == "variant" &&
          each.at("text") == "scale{factor=5!}")
        job = each;
    return !job.is_null();
  }));
  is_over = true;
  requests.join();
  ASSERT_FALSE(job.is_null());
  EXPECT_EQ(job.at("configuration").size(), 1U);
  EXPECT_THAT(job.at("tier"), testing::AnyOf("quick", "full"));
  EXPECT_GE(job.at("seconds").get<double>(), 0);
  EXPECT_TRUE(comes_true([&] { return compiles_nothing(client_); }));
}

} // namespace
