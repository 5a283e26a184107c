// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/automatic/kept_decisions.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "core/cache/stored_image.h"

namespace sartor {
namespace {

Point point(const std::string &handler, const std::string &parameter,
            PointType::Class kind = PointType::Class::integer) {
  Point made{.label = "auto." + handler + "." + parameter,
             .sites = {{.function = handler}},
             .handlers = {handler}};
  made.type.kind = kind;
  return made;
}

class KeptDecisionsTest : public testing::Test {
protected:
  KeptDecisionsTest() { std::filesystem::remove_all(directory_); }
  ~KeptDecisionsTest() override { std::filesystem::remove_all(directory_); }

  /// As another process.
  std::shared_ptr<core::DiskCache> open() {
    return core::DiskCache::open(
        directory_, 1U << 20,
        [this](std::string_view event, const Failure &) { events_.emplace_back(event); });
  }
  KeptDecisions decisions(std::string content = "build") { return {open(), std::move(content)}; }
  /// Nothing if there is none, or an error.
  std::optional<KeptDecision> found(const std::string &handler = "sum") {
    return decisions().find(handler, space_).value_or(std::nullopt);
  }
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> paths;
    for (const auto &file : std::filesystem::directory_iterator(directory_))
      paths.push_back(file.path());
    return paths;
  }

  const std::filesystem::path directory_ =
      std::filesystem::path(testing::TempDir()) / ("sartor-decisions-" + std::to_string(getpid()));
  std::vector<std::string> events_;
  const Space space_{{point("sum", "count"), point("sum", "scale", PointType::Class::floating),
                      point("sum", "order", PointType::Class::pointer), point("other", "n")}};
  const KeptDecision eight_{
      {{"auto.sum.count", 8}, {"auto.sum.scale", 1.0}}, {{"auto.sum.count", 8}}, 1000};
};

TEST_F(KeptDecisionsTest, AreFoundByTheNextStart) {
  decisions().keep("sum", eight_);
  const auto again = found();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->tried, eight_.tried);
  EXPECT_EQ(again->best, eight_.best);
  EXPECT_EQ(again->made, eight_.made);
  EXPECT_FALSE(found("other"));
}

TEST_F(KeptDecisionsTest, HaveTheSameValues) {
  const Configuration all{
      {"auto.sum.count", ~0ULL}, {"auto.sum.scale", 0.1}, {"auto.sum.order", "ascending"}};
  decisions().keep("sum", {all, {}, 1});
  EXPECT_EQ(found()->tried, all);
  EXPECT_TRUE(found()->best.empty());
}

TEST_F(KeptDecisionsTest, OfAnotherBuildAreNotFound) {
  decisions("another build").keep("sum", eight_);
  EXPECT_FALSE(found());
  decisions("").keep("sum", eight_); // the runtime is inactive
  EXPECT_EQ(files().size(), 1);
}

TEST_F(KeptDecisionsTest, AreNotKeptWithoutACache) {
  const KeptDecisions none(nullptr, "build");
  none.keep("sum", eight_);
  none.drop("sum");
  const auto nothing = none.find("sum", space_);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
}

TEST_F(KeptDecisionsTest, AreDropped) {
  decisions().keep("sum", eight_);
  decisions().drop("sum");
  decisions().drop("sum"); // as another process has done
  EXPECT_FALSE(found());
  EXPECT_TRUE(events_.empty());
}

TEST_F(KeptDecisionsTest, InDamagedFilesAreReported) {
  decisions().keep("sum", eight_);
  std::ofstream(files().front(), std::ios::app) << "more";
  EXPECT_TRUE(decisions().find("sum", space_)); // as if there were none
  EXPECT_FALSE(found());
  EXPECT_EQ(events_, std::vector<std::string>{"cache_damaged"});
}

TEST_F(KeptDecisionsTest, ThatOthersMayHaveWrittenAreNotUsed) {
  decisions().keep("sum", eight_);
  std::filesystem::permissions(files().front(), std::filesystem::perms(0666));
  EXPECT_FALSE(found());
  EXPECT_EQ(events_, std::vector<std::string>{"cache_refused"});
}

TEST_F(KeptDecisionsTest, WithoutTheirFormatAreRefused) {
  decisions().keep("sum", eight_);
  std::ifstream in(files().front(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto key = core::unpack_stored(bytes)->key;
  for (const std::string text :
       {"", "no JSON", "[]", R"({"tried":{},"best":{}})", R"({"tried":{},"best":{},"made":-1})",
        R"({"tried":{},"best":{},"made":18446744073709551615})",
        R"({"tried":{},"best":{"auto.sum.count":[[]]},"made":1})"}) {
    open()->insert(key, {}, text);
    const auto refused = decisions().find("sum", space_);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::bad_json);
    EXPECT_EQ(refused.error().subject, "sum");
  }
}

TEST_F(KeptDecisionsTest, ThatDoNotFitTheHandlerAreRefused) {
  for (const Configuration &wrong :
       {Configuration{{"auto.sum.missing", 8}}, Configuration{{"auto.other.n", 8}},
        Configuration{{"auto.sum.count", any_of({8, 9})}},
        Configuration{{"auto.sum.count", unguarded(8)}},
        Configuration{{"auto.sum.order", 0x7f00'0000}}, Configuration{{"auto.sum.count", "text"}},
        Configuration{{"auto.sum.scale", std::numeric_limits<double>::quiet_NaN()}}}) {
    decisions().keep("sum", {{}, wrong, 1});
    EXPECT_FALSE(decisions().find("sum", space_)) << wrong;
    decisions().keep("sum", {wrong, {}, 1});
    EXPECT_FALSE(decisions().find("sum", space_)) << wrong;
  }
}

TEST_F(KeptDecisionsTest, ThatAreVeryLongAreNotKept) {
  decisions().keep("sum", eight_);
  decisions().keep("sum", {{{"auto.sum.order", std::string(100'000, 'f')}}, {}, 1});
  EXPECT_TRUE(files().empty()); // the earlier one is outdated
}

TEST_F(KeptDecisionsTest, AreMeasuredAgainAfterADay) {
  constexpr std::int64_t day = std::chrono::seconds(std::chrono::days(1)).count();
  EXPECT_TRUE(eight_.is_fresh(eight_.made));
  EXPECT_TRUE(eight_.is_fresh(eight_.made + day - 1));
  EXPECT_FALSE(eight_.is_fresh(eight_.made + day));
  EXPECT_FALSE(eight_.is_fresh(eight_.made - 1)); // the clock was set back
}

TEST_F(KeptDecisionsTest, OfSeveralProcessesAreWhole) {
  constexpr int processes = 3, times = 100;
  for (int process = 0; process < processes; ++process)
    if (fork() == 0) {
      bool are_whole = true;
      for (int i = 0; i < times; ++i) {
        decisions().keep("sum", {{{"auto.sum.count", i}}, {{"auto.sum.count", i}}, process});
        const auto last = found();
        are_whole = are_whole && last && last->tried == last->best;
        decisions().keep("other", {{}, {}, process});
      }
      _exit(are_whole && events_.empty() ? 0 : 1);
    }
  for (int process = 0; process < processes; ++process) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(found());
  EXPECT_TRUE(found("other"));
  EXPECT_EQ(files().size(), 2);
}

} // namespace
} // namespace sartor
