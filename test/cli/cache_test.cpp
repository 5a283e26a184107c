// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"
#include "tuner/automatic/kept_decisions.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using sartor::test::Ran;
using sartor::test::run;
using sartor::test::sartor;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// A directory in which a program has cached the code of two variants.
class Cache : public testing::Test {
protected:
  Cache() {
    fs::remove_all(directory_);
    setenv("SARTOR_CACHE_DIR", directory_.c_str(), 1);
    first_ = run(paths::cache_program());
  }
  ~Cache() override {
    unsetenv("SARTOR_CACHE_DIR");
    fs::remove_all(directory_);
  }

  static json entries() { return json::parse(sartor("cache ls --json").out)["entries"]; }

  [[nodiscard]] fs::path damage_one() const {
    const fs::path file = fs::directory_iterator(directory_)->path();
    fs::resize_file(file, 100);
    return file;
  }

  fs::path directory_ = testing::TempDir() + "sartor_cli_cache_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name();
  Ran first_;
};

TEST_F(Cache, SparesTheNextProcessTheCompiling) {
  EXPECT_EQ(first_.status, 0) << first_.err;
  EXPECT_EQ(first_.out, "scale_rows{columns=8,mode=1} compiled\ndoubled{small=1} compiled\n");
  const Ran second = run(paths::cache_program());
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(second.out, "scale_rows{columns=8,mode=1} disk\ndoubled{small=1} disk\n");
}

TEST_F(Cache, ListsWhatIsStored) {
  const Ran ran = sartor("cache ls");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("KEY           BYTES  USED                 CPU "));
  EXPECT_THAT(ran.out, ContainsRegex("\n[0-9a-f]{12}  [0-9]+ +20[^\n]+ doubled.small=1.\n"));
  EXPECT_THAT(ran.out, HasSubstr("scale_rows{columns=8,mode=1}\n"));
}

TEST_F(Cache, TheDirectoryIsAnOptionOfEachCommand) {
  unsetenv("SARTOR_CACHE_DIR");
  for (const std::string command : {"ls", "rm", "stats", "verify"})
    EXPECT_THAT(sartor("cache " + command + " --help").out, HasSubstr("--directory")) << command;
  EXPECT_EQ(sartor("cache ls").status, 2);
  setenv("SARTOR_CACHE_DIR", "/nowhere", 1);
  for (const std::string line : {"cache ls --directory ", "cache --directory "}) {
    const Ran ran = sartor(line + directory_.string() + (line.contains("ls") ? "" : " ls"));
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("scale_rows{columns=8,mode=1}\n"));
  }
}

TEST_F(Cache, AVariableThatNamesNoStoreIsReportedOnStandardError) {
  const std::string file = directory_.string() + ".file";
  std::ofstream(file) << "text";
  setenv("SARTOR_CACHE_DIR", file.c_str(), 1);
  EXPECT_THAT(run(paths::cache_program()).err,
              HasSubstr("sartor: SARTOR_CACHE_DIR: file_error: \"" + file + "\""));
  unsetenv("SARTOR_CACHE_DIR");
  EXPECT_THAT(run("SARTOR_SHARED_CACHE=xyz " + paths::cache_program()).err,
              HasSubstr("sartor: SARTOR_SHARED_CACHE: "));
  fs::remove(file);
}

TEST_F(Cache, ListsAsJson) {
  const json all = entries();
  ASSERT_EQ(all.size(), 3U); // two variants, and the opened module
  std::multiset<std::string> tiers;
  for (const json &entry : all) {
    EXPECT_EQ(entry["key"].get<std::string>().size(), 64U);
    tiers.insert(entry["tier"]);
    EXPECT_THAT(entry["source"].get<std::string>(), HasSubstr("handlers.cpp"));
    EXPECT_THAT(entry["llvm"].get<std::string>(), StartsWith("22."));
    EXPECT_EQ(entry["problem"], "");
  }
  EXPECT_THAT(tiers, testing::ElementsAre("full", "full", "opening"));
}

TEST_F(Cache, SaysHowMuchThereIs) {
  const json stats = json::parse(sartor("cache stats --json").out);
  EXPECT_EQ(stats["files"], 3);
  EXPECT_GT(stats["bytes"], 1000);
  EXPECT_EQ(stats["machines"].size(), 1U);
  EXPECT_LE(stats["oldest_use"], stats["newest_use"]);
  EXPECT_THAT(sartor("cache stats").out, ContainsRegex("^files +3\nbytes +[0-9]+\noldest use"));
}

TEST_F(Cache, HoldsDecisionsAboutAutomaticHandlers) {
  using namespace sartor;
  KeptDecisions(core::DiskCache::open(directory_, 1U << 20, {}), "build")
      .keep("doubled",
            {.tried = {{"auto.doubled.n", 3}}, .best = {{"auto.doubled.n", 3}}, .made = 1});
  EXPECT_THAT(test::sartor("cache ls").out, HasSubstr("(decision) doubled{auto.doubled.n=3}\n"));
  const json stats = json::parse(test::sartor("cache stats --json").out);
  EXPECT_EQ(stats["machines"].size(), 2U);
  EXPECT_EQ(stats["machines"]["decisions"], 1);
  EXPECT_EQ(test::sartor("cache verify").status, 0);
  EXPECT_EQ(test::sartor("cache rm --handler doubled").out, "2 files removed\n");
}

TEST_F(Cache, RemovesByTheBeginningOfAKey) {
  const std::string key = entries()[0]["key"];
  EXPECT_EQ(sartor("cache rm " + key.substr(0, 12)).out, "1 file removed\n");
  ASSERT_EQ(entries().size(), 2U);
  for (const json &entry : entries())
    EXPECT_NE(entry["key"], key);
}

TEST_F(Cache, RemovesTheCodeOfAHandler) {
  EXPECT_EQ(sartor("cache rm --handler doubled").out, "1 file removed\n");
  ASSERT_EQ(entries().size(), 2U);
  for (const json &entry : entries())
    EXPECT_NE(entry["variant"], "doubled{small=1}");
}

TEST_F(Cache, RemovesEverything) {
  EXPECT_EQ(sartor("cache rm --all").out, "3 files removed\n");
  EXPECT_EQ(sartor("cache ls").out, "nothing is stored\n");
  EXPECT_EQ(sartor("cache rm --all").status, 0);
}

TEST_F(Cache, OfSomethingElseToRemoveSaysSo) {
  const Ran ran = sartor("cache rm --handler nobody");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("holds no code of the handler nobody"));
  EXPECT_EQ(sartor("cache rm --handler doubled --all").status, 2);
  EXPECT_EQ(sartor("cache rm").status, 2);
  EXPECT_EQ(sartor("cache rm xyz").status, 2);
}

TEST_F(Cache, VerifiesThatAllIsWell) {
  const Ran ran = sartor("cache verify");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "3 files, 0 damaged\n");
}

TEST_F(Cache, NamesDamagedFiles) {
  const fs::path damaged = damage_one();
  const Ran ran = sartor("cache verify");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, damaged.string() + ": is not as long as it should be\n3 files, 1 damaged\n");
  EXPECT_TRUE(fs::exists(damaged));
  EXPECT_THAT(sartor("cache ls").out, HasSubstr("(is not as long as it should be)"));
}

TEST_F(Cache, RemovesDamagedFiles) {
  const fs::path damaged = damage_one();
  EXPECT_EQ(sartor("cache verify --delete").status, 1);
  EXPECT_FALSE(fs::exists(damaged));
  EXPECT_EQ(sartor("cache verify").status, 0);
}

TEST_F(Cache, TakesTheDirectoryFromTheCommandLineFirst) {
  const Ran ran = sartor("cache ls --directory /nonexistent/cache");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, StartsWith("sartor: file_error: \"/nonexistent/cache\": "));
}

TEST_F(Cache, WithoutADirectoryIsWrongUsage) {
  unsetenv("SARTOR_CACHE_DIR");
  const Ran ran = sartor("cache ls");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("--directory"));
}

} // namespace
