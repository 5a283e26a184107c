// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/settings/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

namespace sartor::loader {
namespace {

using testing::HasSubstr;

constexpr const char *example = R"(passes = ["bind", "concat"]      # which
strict = false
directories = ["/opt/passes"]

[pass.verify]
keys = "/etc/sartor/keys"
limit = 3
quick = true

[application."/usr/bin/redis-server"]
passes = ["bind"]
strict = true

[application.nginx.pass.bind]
only = "libc.so.6"
)";

TEST(SettingsFile, ReadsWhatIsSaidOfAllAndOfApplications) {
  const auto file = parse_settings(example, "file");
  ASSERT_TRUE(file) << file.error().text();
  SettingsTable general, redis, nginx;
  general.passes = {"bind", "concat"};
  general.strict = false;
  general.directories = {"/opt/passes"};
  general.options["verify"] = {{"keys", "/etc/sartor/keys"}, {"limit", "3"}, {"quick", "true"}};
  redis.passes = {"bind"};
  redis.strict = true;
  nginx.options["bind"] = {{"only", "libc.so.6"}};
  EXPECT_EQ(file->general, general);
  EXPECT_EQ(file->applications, (std::map<std::string, SettingsTable>{
                                    {"/usr/bin/redis-server", redis}, {"nginx", nginx}}));
}

struct Wrong {
  const char *text;
  int line;
  const char *says;
};

class WrongSettings : public testing::TestWithParam<Wrong> {};

TEST_P(WrongSettings, AreAnErrorWithTheLine) {
  const auto file = parse_settings(GetParam().text, "/etc/sartor/ld.toml");
  ASSERT_FALSE(file) << GetParam().text;
  EXPECT_EQ(file.error().code, ErrorCode::bad_settings);
  EXPECT_EQ(file.error().subject, "/etc/sartor/ld.toml:" + std::to_string(GetParam().line));
  EXPECT_THAT(file.error().message, HasSubstr(GetParam().says)) << GetParam().text;
  EXPECT_FALSE(file.error().remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongSettings,
    testing::Values(
        Wrong{"strict = true\npasses = [", 2, "no value"}, //
        Wrong{"\npass_es = []", 2, "no key \"pass_es\""},
        Wrong{"[unknown]", 1, "no key \"unknown\""},
        Wrong{"strict.very = true", 1, "no key \"strict.very\""},
        Wrong{"[application.x]\nfoo = 1", 2, "no key \"foo\""},
        Wrong{"[application.x.application.y]", 1, "no key \"application.y\""},
        Wrong{"passes = \"bind\"", 1, "array"}, Wrong{"[passes]", 1, "array"},
        Wrong{"passes = [\"bind\",\n1]", 2, "1 is no string"},
        Wrong{"passes = [\"bind\",\n\"../x\"]", 2, "../x"}, Wrong{"passes = [\"\"]", 1, "no name"},
        Wrong{"passes = [\"a\",\n\"b\",\n\"a\"]", 3, "twice"},
        Wrong{"strict = \"true\"", 1, "true or false"}, Wrong{"strict = 1", 1, "true or false"},
        Wrong{"strict = [true]", 1, "single value"}, Wrong{"directories = \"/a\"", 1, "array"},
        Wrong{"directories = [true]", 1, "no string"},
        Wrong{"directories = [\"/a\", \"b\"]", 1, "\"b\" is not absolute"},
        Wrong{"pass = 1", 1, "table"}, Wrong{"pass.bind = 1", 1, "table"},
        Wrong{"[pass.Bind]", 1, "no name of a pass"},
        Wrong{"[pass.bind]\nx = [1]", 2, "single value"}, Wrong{"[pass.bind]\nx.y = 1", 2, "parts"},
        Wrong{"application = 1", 1, "table"}, Wrong{"application.x = 1", 1, "table"},
        Wrong{"[application.\"bin/x\"]", 1, "no application"},
        Wrong{"[application.\"\"]", 1, "no application"}));

TEST(SettingsFile, AFileThatIsNotThereIsNoError) {
  const Folder folder;
  for (const char *name : {"none.toml", "none/ld.toml"}) {
    const auto file = read_settings_file(folder.path() / name);
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_FALSE(*file);
  }
  const auto below_a_file = read_settings_file(folder.write("file", "") / "ld.toml");
  ASSERT_TRUE(below_a_file) << below_a_file.error().text();
  EXPECT_FALSE(*below_a_file);
}

TEST(SettingsFile, WhatCannotBeReadIsAnError) {
  const Folder folder;
  const auto directory = read_settings_file(folder.path());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::file_error);
  EXPECT_EQ(directory.error().subject, folder.path());
  const auto endless = read_settings_file("/dev/zero");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, ErrorCode::file_error);
}

TEST(SettingsFile, WhateverItHoldsIsReadOrRefused) {
  constexpr std::string_view likely = "abc=[]{}\"'\n\r\t .,#012_-+:\\uUtrue\x80\xFF";
  std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed): each run alike
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    if (i % 2 == 0) {
      text = example;
      for (std::size_t changes = 1 + below(5); changes-- > 0;) {
        const std::size_t at = below(text.size());
        switch (below(3)) {
        case 0:
          text[at] = likely[below(likely.size())];
          break;
        case 1:
          text.erase(at, below(8));
          break;
        default:
          text.insert(at, 1, static_cast<char>(below(256)));
        }
      }
    } else {
      for (std::size_t size = below(80); size-- > 0;)
        text += i % 4 == 1 ? likely[below(likely.size())] : static_cast<char>(below(256));
    }
    if (const auto file = parse_settings(text, "f"); !file) {
      EXPECT_EQ(file.error().code, ErrorCode::bad_settings) << text;
      EXPECT_THAT(file.error().subject, testing::MatchesRegex("f:[0-9]+")) << text;
    }
  }
}

TEST(SettingsFile, IsNotNestedToDeath) {
  for (const char *part : {"[", "a.", "a=[", "\"", "'", "{", "a={"}) {
    std::string text = "a = ";
    for (int i = 0; i < 200'000; ++i)
      text += part;
    EXPECT_FALSE(parse_settings(text, "f")) << part;
  }
}

TEST(SettingsFileOnDisk, IsBelievedIfOnlyWhoMayHasWrittenIt) {
  const Folder folder;
  const auto path = folder.write("ld.toml", "strict = true");
  ASSERT_TRUE(read_settings_file(path));
  std::filesystem::permissions(path, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  const auto open = read_settings_file(path);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::file_error);
  EXPECT_THAT(open.error().message, HasSubstr("can be written by others"));
  std::filesystem::permissions(path, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::remove);
  ASSERT_TRUE(read_settings_file(path));
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  constexpr uid_t somebody = 65534;
  ASSERT_EQ(chown(path.c_str(), somebody, static_cast<gid_t>(-1)), 0);
  const auto theirs = read_settings_file(path);
  ASSERT_FALSE(theirs);
  EXPECT_THAT(theirs.error().message, HasSubstr("belongs to another user"));
}

TEST(SettingsFileOnDisk, IsNoPipe) {
  const Folder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), S_IRUSR | S_IWUSR), 0);
  const auto file = read_settings_file(path);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("is no file"));
}

} // namespace
} // namespace sartor::loader
