// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/configuration.hpp>

#include <cstdint>
#include <gmock/gmock.h>
#include <limits>
#include <sstream>
#include <unordered_set>

#include <sartor/error.hpp>

namespace sartor {
namespace {

using testing::HasSubstr;

Configuration example() { return {{"B", 16}, {"K", unguarded(3)}, {"N", any_of({256, 64})}}; }

std::string error_of(std::string_view json) {
  try {
    Configuration::from_json(json);
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_json);
    return error.what();
  }
  return "";
}

TEST(Setting, ValuesAreSortedWithoutRepetitions) {
  EXPECT_EQ(any_of({3, 1, 3, 2, 1}).values, (std::vector<Value>{1, 2, 3}));
}

TEST(Setting, NotANumberDoesNotUpsetTheOrder) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto values = any_of({2.0, nan, 1.0}).values;
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0], Value(1.0));
  EXPECT_EQ(values[1], Value(2.0));
}

TEST(Configuration, TextShowsEachSetting) { EXPECT_EQ(example().text(), "{B=16,K=3!,N=64|256}"); }

TEST(Configuration, EmptyTextIsBraces) { EXPECT_EQ(Configuration().text(), "{}"); }

TEST(Configuration, StreamsAsItsText) {
  std::ostringstream out;
  out << example();
  EXPECT_EQ(out.str(), example().text());
}

TEST(Configuration, ListThatSetsALabelTwiceIsAnError) {
  try {
    const Configuration configuration{{"B", 16}, {"N", 4}, {"B", 8}};
    FAIL() << configuration;
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::conflicting_label);
    EXPECT_EQ(error.failure().subject, "B");
  }
}

TEST(Configuration, SetReplacesAndUnsetRemoves) {
  Configuration configuration{{"B", 16}};
  configuration.set("B", 8);
  EXPECT_EQ(*configuration.find("B"), Setting(8));
  configuration.unset("B").unset("not there");
  EXPECT_TRUE(configuration.empty());
  EXPECT_EQ(configuration.find("B"), nullptr);
}

TEST(Configuration, JsonShowsEachSetting) {
  EXPECT_EQ(example().json(), R"({"B":16,"K":{"values":[3],"guard":false},"N":[64,256]})");
  EXPECT_EQ(Configuration().json(), "{}");
}

TEST(Configuration, JsonIsReadBackAsItWas) {
  const Configuration all{{"integer", -5},
                          {"large", std::numeric_limits<std::uint64_t>::max()},
                          {"whole", 2.0},
                          {"tenth", 0.1},
                          {"infinite", -std::numeric_limits<double>::infinity()},
                          {"symbol", "table_\"a\""},
                          {"several", unguarded(any_of({1, 2.5, "x"}))},
                          {"unguarded", unguarded(7)},
                          {"", 1}};
  EXPECT_EQ(Configuration::from_json(all.json()), all);
}

TEST(Configuration, JsonTrueAndFalseAreOneAndZero) {
  EXPECT_EQ(Configuration::from_json(R"({"a":true,"b":false})"),
            (Configuration{{"a", 1}, {"b", 0}}));
}

TEST(Configuration, GuardMayBeSaidToBeOn) {
  EXPECT_EQ(Configuration::from_json(R"({"a":{"values":[1],"guard":true}})"),
            (Configuration{{"a", 1}}));
}

TEST(Configuration, BrokenJsonSaysWhere) {
  EXPECT_THAT(error_of(R"({"B":16,})"), HasSubstr("column 9"));
}

TEST(Configuration, JsonThatIsNoObjectIsRefused) {
  EXPECT_THAT(error_of("[1]"), HasSubstr("no JSON object"));
}

TEST(Configuration, JsonSettingsThatAreNoneNameTheirLabel) {
  for (const char *json : {R"({"Bx":null})", R"({"Bx":[]})", R"({"Bx":[[1]]})", R"({"Bx":{}})",
                           R"({"Bx":{"values":1}})", R"({"Bx":{"values":[1],"guard":1}})",
                           R"({"Bx":{"values":[1],"gaurd":false}})", R"({"Bx":1,"Bx":2})"})
    EXPECT_THAT(error_of(json), HasSubstr("\"Bx\"")) << json;
}

TEST(Configuration, NumbersTooLargeAreRefused) { EXPECT_NE(error_of(R"({"B":1e999})"), ""); }

TEST(Configuration, LabelsThatAreNotTextDoNotBreakJson) {
  EXPECT_EQ(Configuration({{"\xff", 1}}).json(), "{\"\uFFFD\":1}");
}

TEST(Configuration, EqualConfigurationsHashEqually) {
  EXPECT_EQ(std::hash<Configuration>{}(example()), std::hash<Configuration>{}(example()));
  EXPECT_EQ(std::hash<Configuration>{}({{"x", -0.0}}), std::hash<Configuration>{}({{"x", 0.0}}));
}

TEST(Configuration, HashesDistinguishConfigurations) {
  std::unordered_set<std::size_t> hashes;
  const std::hash<Configuration> hash;
  for (int b = 0; b < 100; ++b) {
    hashes.insert(hash({{"B", b}}));
    hashes.insert(hash({{"B", unguarded(b)}}));
    hashes.insert(hash({{"N", b}}));
    hashes.insert(hash({{"B", b}, {"N", b}}));
    hashes.insert(hash({{"B", any_of({b, 1000})}}));
  }
  EXPECT_EQ(hashes.size(), 500U);
}

TEST(Configuration, ComparesByLabelThenValue) {
  EXPECT_LT((Configuration{{"A", 9}}), (Configuration{{"B", 1}}));
  EXPECT_LT((Configuration{{"B", 1}}), (Configuration{{"B", 2}}));
  EXPECT_LT(Configuration(), (Configuration{{"B", 1}}));
}

} // namespace
} // namespace sartor
