// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests that a program has recorded and the command repeats.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "command.h"
#include "paths.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using sartor::test::Ran;
using sartor::test::run;
using sartor::test::sartor;
using testing::ContainsRegex;
using testing::HasSubstr;

class RequestTest : public testing::Test {
protected:
  RequestTest() { fs::remove_all(directory_); }
  ~RequestTest() override { fs::remove_all(directory_); }

  /// Runs the program; returns the remarks that it printed.
  json record(const std::string &environment = {}) {
    const Ran ran = run("SARTOR_RECORD_REQUESTS=" + directory_.string() + " " + environment + " " +
                        paths::request_program());
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(ran.out, nullptr, false);
  }
  [[nodiscard]] std::string file(const std::string &of = "forward-") const {
    for (const auto &each : fs::directory_iterator(directory_))
      if (each.path().filename().string().starts_with(of))
        return each.path().string();
    ADD_FAILURE() << "nothing is recorded";
    return {};
  }
  [[nodiscard]] Ran explain(const std::string &more = {}) const {
    return sartor("explain " + paths::request_program() + " --request " + file() + " " + more);
  }

  const fs::path directory_ =
      fs::path(testing::TempDir()) / ("requests-" + std::to_string(::getpid()));
};

TEST_F(RequestTest, ReportsTheSameAsInTheProgram) {
  const json reported = record();
  const Ran ran = explain("--json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json again = json::parse(ran.out);
  EXPECT_EQ(again["fold_report"], reported["fold_report"]);
  EXPECT_EQ(again["variant"], reported["name"]);
  EXPECT_EQ(again["remarks"].size(), reported["remarks"].size());
  ASSERT_EQ(reported["fold_report"]["invariants"].size(), 2);
  EXPECT_TRUE(reported["fold_report"]["invariants"][0]["depended_on"]);
  EXPECT_GE(reported["fold_report"]["invariants"][0]["loads"], 6);
  EXPECT_FALSE(reported["fold_report"]["invariants"][1]["depended_on"]);
  EXPECT_EQ(reported["fold_report"]["loops"][0]["copies"], 4);
  EXPECT_FALSE(reported["fold_report"].contains("indirect_calls"));
}

TEST_F(RequestTest, SaysInWordsWhatFolded) {
  record();
  const Ran ran = explain();
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("bound arguments: 1 = [0-9]+, 3 = [0-9]+\n"));
  EXPECT_THAT(ran.out, HasSubstr("  52 bytes of reachable invariant memory\n"));
  EXPECT_THAT(ran.out, ContainsRegex("invariant [0-9]+ +[0-9]+\n"));
  EXPECT_THAT(ran.out, ContainsRegex("invariant [0-9]+ +0 +changed nothing\n"));
  EXPECT_THAT(ran.out, ContainsRegex("forward:[0-9]+ +followed: 4 copies\n"));
  EXPECT_THAT(ran.out, ContainsRegex("argument 3 is bound, and the handler makes no use of it "
                                     "\\(request_handlers.c:[0-9]+\\)\n"));
  EXPECT_THAT(ran.out, HasSubstr("fix: Leave the argument unbound."));
}

TEST_F(RequestTest, AddsUpWhatComesFromWhichFunction) {
  record();
  const Ran ran = explain("--size --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json sizes = json::parse(ran.out)["sizes"];
  EXPECT_GT(sizes["forward"].get<int>(), 0) << ran.out;
  EXPECT_THAT(explain("--size").out, ContainsRegex("code by function +bytes\n    "));
}

// Recorded results of called functions are used: `sartor explain` is another process and cannot
// call them again.
TEST_F(RequestTest, HasWhatFunctionsGaveThatWereCalled) {
  record();
  const Ran ran =
      sartor("explain " + paths::request_program() + " --ir --request " + file("scaled-"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              ContainsRegex("invariant [0-9]+ +[0-9]+ +used by functions that were called"));
  EXPECT_THAT(ran.out, ContainsRegex("mul i32 %[^,]+, 10\n"));
}

TEST_F(RequestTest, ShowsTheCode) {
  record();
  EXPECT_THAT(explain("--ir").out, HasSubstr("define "));
  EXPECT_THAT(explain("--asm").out, ContainsRegex("\n\tret"));
}

TEST_F(RequestTest, IsTheSameFileForTheSameRequest) {
  // Addresses are the same in both runs only without address space randomization.
  if (run("setarch -R true").status != 0)
    GTEST_SKIP() << "addresses cannot be held still here";
  record("setarch -R");
  record("setarch -R");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto &each : fs::directory_iterator(directory_))
    ++files;
  EXPECT_EQ(files, 2U);
}

// Numbers of invariants belong to the process, wherever the image comes from.
TEST_F(RequestTest, ComesToTheSameOutOfProcessAndFromACache) {
  const json in_process = record();
  EXPECT_EQ(record("SARTOR_COMPILER=out-of-process")["fold_report"], in_process["fold_report"]);
  const std::string cache = directory_.string() + ".cache";
  EXPECT_EQ(record("SARTOR_CACHE_DIR=" + cache)["fold_report"], in_process["fold_report"]);
  const json stored = record("SARTOR_CACHE_DIR=" + cache);
  EXPECT_EQ(stored["origin"], "disk");
  EXPECT_EQ(stored["fold_report"], in_process["fold_report"]);
  EXPECT_EQ(stored["remarks"], in_process["remarks"]);
  fs::remove_all(cache);
}

TEST_F(RequestTest, IsForItsUserAlone) {
  record();
  EXPECT_EQ(fs::status(directory_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(RequestTest, IsOfOneProgram) {
  record();
  const Ran ran = sartor("explain " + paths::program() + " --request " + file());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("another program, or of another build"));
}

TEST_F(RequestTest, ThatIsDamagedIsRefused) {
  record();
  const std::string path = file();
  for (const auto cut :
       {fs::file_size(path) - 1, fs::file_size(path) / 2, std::uintmax_t{9}, std::uintmax_t{0}}) {
    fs::resize_file(path, cut);
    const Ran ran = explain();
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.err, HasSubstr("file_error"));
  }
  EXPECT_EQ(sartor("explain " + paths::request_program() + " --request /nowhere").status, 1);
  EXPECT_EQ(explain("--config '{}'").status, 2);
}

TEST_F(RequestTest, ThatCannotBeRecordedIsReported) {
  std::ofstream(directory_) << "no directory";
  const json reported = record();
  const auto remark = std::ranges::find(reported["remarks"], "not_recorded",
                                        [](const json &each) { return each["code"]; });
  ASSERT_NE(remark, reported["remarks"].end()) << reported;
  EXPECT_THAT((*remark)["message"], HasSubstr("cannot take a request"));
}

TEST_F(RequestTest, OfTheEventLogHasTheSame) {
  const std::string log = directory_.string() + ".log";
  const json reported = record("SARTOR_EVENT_LOG=" + log);
  std::ifstream lines(log);
  bool found = false;
  for (std::string line; std::getline(lines, line);)
    if (const json event = json::parse(line); event["event"] == "compile" && !event["quick"])
      found = found || event["fold_report"] == reported["fold_report"];
  EXPECT_TRUE(found);
  fs::remove(log);
}

} // namespace
