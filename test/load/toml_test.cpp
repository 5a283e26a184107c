// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor::base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum TomlValue::Kind;
using Key = std::vector<std::string>;

std::vector<TomlItem> items_of(std::string_view text) {
  auto items = read_toml(text, "file");
  EXPECT_TRUE(items) << items.error().text();
  return items ? *items : std::vector<TomlItem>{};
}

std::string string_in(std::string_view text) {
  const auto items = items_of(text);
  EXPECT_EQ(items.size(), 1U);
  return items.empty() ? "" : items.front().values.front().text;
}

TEST(Toml, ReadsItemsWithTheirLines) {
  EXPECT_THAT(
      items_of("a = 'x' # comment\n\n[t.\"u v\"]\r\n b.c = [ 1, # one\n\t-2,\n true, ]\n[ e ]"),
      ElementsAre(TomlItem{TomlItem::Kind::value, {"a"}, {{string, "x", 1}}, 1},
                  TomlItem{TomlItem::Kind::table, {"t", "u v"}, {}, 3},
                  TomlItem{TomlItem::Kind::array,
                           {"t", "u v", "b", "c"},
                           {{integer, "1", 4}, {integer, "-2", 5}, {boolean, "true", 6}},
                           4},
                  TomlItem{TomlItem::Kind::table, {"e"}, {}, 7}));
}

TEST(Toml, AnEmptyTextHasNoItems) {
  EXPECT_THAT(items_of(""), ElementsAre());
  EXPECT_THAT(items_of("\xEF\xBB\xBF \n# only this"), ElementsAre());
}

TEST(Toml, ReadsEscapes) {
  EXPECT_EQ(string_in(R"(a = "\"\\\t\n\u00e9\U0001F600")"), "\"\\\t\n\u00e9\U0001F600");
  EXPECT_EQ(string_in(R"(a = '\n"')"), "\\n\"");
  EXPECT_EQ(string_in("a = \"\""), "");
  EXPECT_EQ(string_in("a = \"caf\u00e9\""), "caf\u00e9");
}

struct Wrong {
  std::string_view text;
  std::size_t line;
  const char *says;
};

class WrongToml : public testing::TestWithParam<Wrong> {};

TEST_P(WrongToml, IsAnErrorWithTheLine) {
  const auto items = read_toml(GetParam().text, "/etc/file");
  ASSERT_FALSE(items) << GetParam().text;
  EXPECT_EQ(items.error().code, ErrorCode::bad_settings);
  EXPECT_EQ(items.error().subject, "/etc/file:" + std::to_string(GetParam().line));
  EXPECT_THAT(items.error().message, HasSubstr(GetParam().says)) << GetParam().text;
  EXPECT_FALSE(items.error().remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongToml,
    testing::Values(
        Wrong{"a", 1, "no ="}, Wrong{"\na =", 2, "no value"}, Wrong{"a = \nb = 1", 1, "no value"},
        Wrong{"= 1", 1, "no key"}, Wrong{"a..b = 1", 1, "no key"}, Wrong{"[]", 1, "no key"},
        Wrong{"\xC3\xA9 = 1", 1, "no key"}, Wrong{"[t\na = 1", 1, "no ]"},
        Wrong{"[t] a = 1", 1, "where the line should end"},
        Wrong{"a = 1 b = 2", 1, "where the line should end"},
        Wrong{"a = 'x''", 1, "where the line should end"}, Wrong{"[[t]]", 1, "arrays of tables"},
        Wrong{"a = 1\n\na = 2", 3, "twice"}, Wrong{"[t]\nb.c = 1\n[t.b]\nc = 1", 4, "twice"},
        Wrong{"[t]\n[u]\n[t]", 3, "twice"}, Wrong{"a = {b = 1}", 1, "inline tables"},
        Wrong{"a = [[1]]", 1, "arrays in arrays"}, Wrong{"a = [1\n 2]", 2, "neither , nor ]"},
        Wrong{"a = [1,\n", 2, "no value"}, Wrong{"a = [1\n", 2, "neither , nor ]"},
        Wrong{"a = [,]", 1, "no value"}, Wrong{"a = \"x\nb = 1", 1, "no end"},
        Wrong{"a = 'x", 1, "no end"}, Wrong{"a = \"\\", 1, "\\"}, Wrong{"a = \"\\q\"", 1, "\\"},
        Wrong{"a = \"\\u12\"", 1, "\\"}, Wrong{"a = \"\\u0000\"", 1, "\\"},
        Wrong{"a = \"\\ud800\"", 1, "\\"}, Wrong{"a = \"\\U00110000\"", 1, "\\"},
        Wrong{"a = \"\"\"x\"\"\"", 1, "several lines"}, Wrong{"a = '''x'''", 1, "several lines"},
        Wrong{"a = 1.5", 1, "1.5"}, Wrong{"a = 007", 1, "007"},
        Wrong{"a = 1979-05-27", 1, "1979-05-27"}, Wrong{"a = yes", 1, "yes"},
        Wrong{"a = 'x\x01'", 1, "byte 0x01"}, Wrong{"# \x7F", 1, "byte 0x7f"},
        Wrong{"a = 1\r", 1, "byte 0x0d"}, Wrong{{"a = 'x\0'", 8}, 1, "byte 0x00"}));

} // namespace
} // namespace sartor::base
