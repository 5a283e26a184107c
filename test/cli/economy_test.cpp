// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"

namespace {

using nlohmann::json;
using sartor::test::Ran;
using sartor::test::sartor;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char *kHolds =
    R"({"t":1.0,"event":"quasi_invariant_valid","quasi_invariant":"shared","held":"4","invalidated":"3",)"
    R"("valid_nanoseconds":"1200000000","invalidation_nanoseconds":"36000","made":"3",)"
    R"("making_nanoseconds":"48000000"})"
    "\n";
constexpr const char *kDropped =
    R"({"t":2.0,"event":"quasi_invariant_dropped","quasi_invariant":"shared","held":"1","invalidated":"0",)"
    R"("valid_nanoseconds":"0","invalidation_nanoseconds":"0","made":"1","making_nanoseconds":"1000"})"
    "\n";

std::string weighed(const std::string &worth, const std::string &rest = "") {
  return R"({"t":1.5,"event":"economy","quasi_invariant":"shared","objective":"reads","worth":")" +
         worth + R"(",)" + rest +
         R"("windows":50,"gain":{"mean":0.1,"low":0.08,"high":0.12},)"
         R"("gain_per_call":{"mean":9e-05,"low":7e-05,"high":0.00011},)"
         R"("calls_between_invalidations":{"mean":1000,"low":700,"high":null},)"
         R"("benefit":{"mean":0.09,"low":0.05,"high":null},"specializing":0.012,)"
         R"("guarding":{"mean":0,"low":0,"high":0},"invalidating":{"mean":1e-05,"low":9e-06,)"
         R"("high":1.1e-05},"cost":{"mean":0.01201,"low":0.012,"high":0.013},)"
         R"("calls_per_second":1000,"processors":1,"seconds_valid":1.2,"invalidated":3,"held":4,)"
         R"("made":3,"seconds_left_alone":0})"
         "\n";
}

class ExplainEconomy : public testing::Test {
protected:
  ~ExplainEconomy() override { std::filesystem::remove(log_); }
  Ran explain(const std::string &contents, const std::string &arguments = "") {
    std::ofstream(log_) << contents;
    return sartor("explain " + arguments + " --economy " + log_.string());
  }
  std::filesystem::path log_ = std::filesystem::temp_directory_path() /
                               ("sartor-cli-economy-" + std::to_string(getpid()) + ".log");
};

TEST_F(ExplainEconomy, PrintsTheInequalityAndWhichWayItCameOut) {
  const Ran ran = explain(kHolds + weighed("worth it"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("shared: worth it\n"));
  EXPECT_THAT(ran.out, HasSubstr("gain per call x calls between invalidations  >  specializing"));
  EXPECT_THAT(ran.out, HasSubstr("gain per call                90 us (70 us to 110 us)\n"));
  EXPECT_THAT(ran.out, HasSubstr("calls between invalidations  1e+03 (700 to ?)\n"));
  EXPECT_THAT(ran.out, HasSubstr("specializing                 12 ms\n"));
  EXPECT_THAT(ran.out, HasSubstr("10 % (8 % to 12 %) more with it, in 50 windows"));
  EXPECT_THAT(ran.out, HasSubstr("became valid 4 times, invalidated 3 times in 1.2 s"));
}

TEST_F(ExplainEconomy, SaysWhatIsMissingAndWhatWasDone) {
  const Ran ran = explain(weighed("not sure", R"("missing":"the gain is not known",)") + kDropped);
  EXPECT_THAT(ran.out, HasSubstr("  ?  specializing"));
  EXPECT_THAT(ran.out, HasSubstr("missing: the gain is not known\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("still existed")));
}

TEST_F(ExplainEconomy, ReportsWhatIsKnownOfQuasiInvariantsThatWereNeverWeighed) {
  const Ran ran = explain(kHolds);
  EXPECT_EQ(ran.out, "shared: not weighed\n"
                     "  became valid 4 times, invalidated 3 times: 400 ms between invalidations, "
                     "of 12 us each\n"
                     "  3 variants made for it in 48 ms: 12 ms for each time that it became valid\n"
                     "  missing: what it gains, which sartor::weigh() measures, or "
                     "sartor_quasi_invariant_weigh()\n"
                     "  still existed at the end of the log\n");
}

TEST_F(ExplainEconomy, ReadsALogThatWasCutShort) {
  const std::string whole = kHolds + weighed("worth it");
  for (const std::size_t left :
       {std::size_t{0}, std::size_t{40}, whole.size() / 2, whole.size() - 3}) {
    const Ran ran = explain(whole.substr(0, left));
    EXPECT_EQ(ran.status, 0) << left << ran.err;
  }
  EXPECT_THAT(explain(whole.substr(0, whole.size() - 3)).out,
              HasSubstr("1 line could not be read; ignored\n"));
  EXPECT_EQ(explain("").out, "no quasi-invariants\n");
  const Ran text = explain("some\ntext\n");
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.err, HasSubstr("none of its 2 lines is an event"));
  // Fields of a wrong type.
  EXPECT_EQ(explain(R"({"event":"economy","quasi_invariant":7,"gain":[]})"
                    "\n[]\nnull\n")
                .status,
            0);
}

TEST_F(ExplainEconomy, WritesJson) {
  const json all = json::parse(explain(kHolds + weighed("worth it"), "--json").out);
  EXPECT_EQ(all["quasi_invariants"][0]["quasi_invariant"], "shared");
  EXPECT_EQ(all["quasi_invariants"][0]["economy"]["worth"], "worth it");
  EXPECT_EQ(all["quasi_invariants"][0]["figures"]["invalidated"], 3);
  EXPECT_EQ(all["quasi_invariants"][0]["is_over"], false);
}

TEST_F(ExplainEconomy, RefusesWhatIsNotThere) {
  const Ran none = sartor("explain --economy /nowhere/at/all");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("file_error"));
  EXPECT_EQ(sartor("explain --economy /").status, 1);
  EXPECT_EQ(sartor("explain").status, 2);
  EXPECT_EQ(sartor("explain " + paths::program() + " --economy " + log_.string()).status, 2);
}

} // namespace
