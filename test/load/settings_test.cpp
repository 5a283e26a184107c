// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/settings/settings.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder.h"

namespace sartor::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Settings settings_of(const SettingsSources &sources) {
  auto settings = read_settings(sources);
  EXPECT_TRUE(settings) << settings.error().text();
  return settings ? *settings : Settings{};
}

std::vector<std::string> names_of(const Settings &settings) {
  std::vector<std::string> names;
  for (const PassSettings &pass : settings.passes)
    names.push_back(pass.name);
  return names;
}

class SettingsTest : public testing::Test {
protected:
  /// Sources of settings for /usr/bin/server, with the given content.
  SettingsSources sources(const std::string &system, const std::string &user = "") {
    return {.files = {folder.write("system.toml", system), folder.write("user.toml", user)},
            .application = "/usr/bin/server",
            .config = {},
            .passes = {},
            .strict = false};
  }

  Folder folder;
};

TEST_F(SettingsTest, WithoutFilesPassesAreBindConcatAndSettle) {
  const std::filesystem::path none = folder.path() / "none.toml";
  const Settings settings = settings_of(
      {.files = {none}, .application = "/bin/ls", .config = {}, .passes = {}, .strict = false});
  EXPECT_EQ(settings, (Settings{.passes = {{"bind", {}}, {"concat", {}}, {"settle", {}}},
                                .directories = {},
                                .strict = false,
                                .files = {none}}));
}

TEST_F(SettingsTest, AnEmptyListMeansNoPasses) {
  EXPECT_THAT(settings_of(sources("passes = []")).passes, IsEmpty());
}

TEST_F(SettingsTest, WhatTheMachineEnforcesNobodyLeavesOutOrChanges) {
  SettingsSources from = sources("enforce = [\"verify\"]\n"
                                 "directories = [\"/machine\"]\n"
                                 "[pass.verify]\n"
                                 "keys = \"/machine/keys\"\n",
                                 "passes = [\"bind\"]\n"
                                 "directories = [\"/user\"]\n"
                                 "[pass.verify]\n"
                                 "keys = \"/user/keys\"\n"
                                 "signatures = \"/user\"\n");
  const PassSettings enforced{"verify", {{"keys", "/machine/keys"}}, true};
  Settings settings = settings_of(from);
  EXPECT_THAT(settings.passes, ElementsAre(enforced, PassSettings{"bind", {}}));
  EXPECT_THAT(settings.directories, ElementsAre("/user"));
  EXPECT_THAT(settings.machine_directories, ElementsAre("/machine"));
  EXPECT_TRUE(settings.strict);
  from.passes = "";
  EXPECT_THAT(settings_of(from).passes, ElementsAre(enforced));
  from.passes = "bind,verify";
  from.config = folder.write("more.toml", "strict = false\n[pass.verify]\nkeys = \"/more\"\n");
  settings = settings_of(from);
  EXPECT_THAT(settings.passes, ElementsAre(enforced, PassSettings{"bind", {}}));
  EXPECT_TRUE(settings.strict);
}

TEST_F(SettingsTest, TheMachineMayEnforceForOneApplication) {
  EXPECT_THAT(names_of(settings_of(sources("[application.server]\nenforce = [\"verify\"]\n"))),
              ElementsAre("verify", "bind", "concat", "settle"));
  EXPECT_FALSE(settings_of(sources("[application.other]\nenforce = [\"verify\"]\n")).strict);
}

TEST_F(SettingsTest, NobodyElseEnforces) {
  for (const char *text : {"enforce = []", "[application.server]\nenforce = [\"verify\"]"}) {
    const auto settings = read_settings(sources("", text));
    ASSERT_FALSE(settings) << text;
    EXPECT_EQ(settings.error().code, ErrorCode::bad_settings);
    EXPECT_THAT(settings.error().subject, HasSubstr("user.toml"));
    SettingsSources from = sources("");
    from.config = folder.write("more.toml", text);
    EXPECT_FALSE(read_settings(from));
  }
}

TEST_F(SettingsTest, TheUserWinsOverTheMachineKeyByKey) {
  const Settings settings = settings_of(sources("passes = [\"a\", \"b\"]\n"
                                                "strict = true\n"
                                                "directories = [\"/machine\"]\n"
                                                "[pass.b]\n"
                                                "x = 1\n"
                                                "y = 2\n",
                                                "directories = [\"/user\"]\n"
                                                "[pass.b]\n"
                                                "y = 3\n"
                                                "[pass.not_enabled]\n"
                                                "z = 4\n"));
  EXPECT_THAT(settings.passes,
              ElementsAre(PassSettings{"a", {}}, PassSettings{"b", {{"x", "1"}, {"y", "3"}}}));
  EXPECT_TRUE(settings.strict);
  EXPECT_THAT(settings.directories, ElementsAre("/user"));
}

TEST_F(SettingsTest, AnyOfTheSourcesMakesAProgramObservable) {
  EXPECT_FALSE(settings_of(sources("")).observable);
  EXPECT_TRUE(settings_of(sources("observable = true\n")).observable);
  EXPECT_FALSE(settings_of(sources("observable = true\n", "observable = false\n")).observable);
  SettingsSources from = sources("observable = false\n");
  from.observable = true;
  EXPECT_TRUE(settings_of(from).observable);
}

TEST_F(SettingsTest, WhatIsSaidOfAnApplicationWinsOverWhatIsSaidOfAll) {
  EXPECT_THAT(names_of(settings_of(
                  sources("[application.server]\npasses = [\"machine\"]", "passes = [\"user\"]"))),
              ElementsAre("machine"));
  EXPECT_THAT(names_of(settings_of(sources("[application.server]\npasses = [\"machine\"]",
                                           "[application.server]\npasses = [\"user\"]"))),
              ElementsAre("user"));
}

TEST_F(SettingsTest, TheApplicationsPathWinsOverItsName) {
  EXPECT_THAT(
      names_of(settings_of(sources("[application.\"/usr/bin/server\"]\npasses = [\"by_path\"]",
                                   "[application.server]\npasses = [\"by_name\"]"))),
      ElementsAre("by_path"));
}

TEST_F(SettingsTest, OtherApplicationsDoNotMatter) {
  EXPECT_THAT(names_of(settings_of(sources("passes = [\"all\"]\n"
                                           "[application.serve]\npasses = [\"x\"]\n"
                                           "[application.\"/bin/server2\"]\npasses = [\"y\"]\n"
                                           "[application.\"/opt/server\"]\npasses = [\"z\"]"))),
              ElementsAre("all"));
}

TEST_F(SettingsTest, AnApplicationsDirectoryMayBeALinkButNamesAreAsTheyAre) {
  const auto program = folder.write("real/program", "");
  std::filesystem::create_directory_symlink("real", folder.path() / "link");
  std::filesystem::create_symlink("program", folder.path() / "real/alias");
  SettingsSources of = sources("passes = [\"all\"]\n[application.\"" + program.string() +
                               "\"]\npasses = [\"mine\"]");
  of.application = folder.path() / "link/program";
  EXPECT_THAT(names_of(settings_of(of)), ElementsAre("mine"));
  of.application = folder.path() / "link/../real/./program";
  EXPECT_THAT(names_of(settings_of(of)), ElementsAre("mine"));
  of.application = folder.path() / "real/alias";
  EXPECT_THAT(names_of(settings_of(of)), ElementsAre("all"));
}

TEST_F(SettingsTest, TheFileOfTheCommandLineWinsOverApplications) {
  SettingsSources of = sources("[application.\"/usr/bin/server\"]\n"
                               "passes = [\"a\"]\nstrict = true\n[pass.b]\nx = 1");
  of.config = folder.write("given.toml", "passes = [\"b\"]\n");
  const Settings settings = settings_of(of);
  EXPECT_THAT(settings.passes, ElementsAre(PassSettings{"b", {{"x", "1"}}}));
  EXPECT_TRUE(settings.strict);
  EXPECT_THAT(settings.files, ElementsAre(of.files[0], of.files[1], *of.config));
  of.config = folder.write("given.toml", "passes = [\"b\"]\n[application.server]\npasses = []");
  EXPECT_THAT(settings_of(of).passes, IsEmpty());
}

TEST_F(SettingsTest, TheFileOfTheCommandLineMustExist) {
  SettingsSources of = sources("");
  of.config = folder.path() / "none.toml";
  const auto settings = read_settings(of);
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, ErrorCode::file_error);
  EXPECT_EQ(settings.error().subject, *of.config);
}

TEST_F(SettingsTest, WhatIsSaidForThisRunWins) {
  SettingsSources of = sources("strict = false\n[pass.x-1]\no = 1");
  of.config = folder.write("given.toml", "passes = [\"b\"]");
  of.passes = "y_2,x-1";
  of.strict = true;
  const Settings settings = settings_of(of);
  EXPECT_THAT(settings.passes,
              ElementsAre(PassSettings{"y_2", {}}, PassSettings{"x-1", {{"o", "1"}}}));
  EXPECT_TRUE(settings.strict);
  of.passes = "";
  EXPECT_THAT(settings_of(of).passes, IsEmpty());
}

TEST_F(SettingsTest, WrongPassesForThisRunAreAnError) {
  for (const auto &[list, says] : std::initializer_list<std::pair<const char *, const char *>>{
           {"a,b,a", "\"a\" is there twice"},
           {"a,,b", "\"\" is no name"},
           {"a,", "comma"},
           {",a", "\"\" is no name"},
           {"a b", "\"a b\" is no name"}}) {
    SettingsSources of = sources("");
    of.passes = list;
    const auto settings = read_settings(of);
    ASSERT_FALSE(settings) << list;
    EXPECT_EQ(settings.error().code, ErrorCode::bad_settings);
    EXPECT_EQ(settings.error().subject, "--passes");
    EXPECT_THAT(settings.error().message, HasSubstr(says));
  }
}

TEST_F(SettingsTest, AWrongLineNamesItsFile) {
  const auto settings = read_settings(sources("strict = true\n", "\nstrict = maybe"));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, ErrorCode::bad_settings);
  EXPECT_EQ(settings.error().subject, (folder.path() / "user.toml").string() + ":2");
}

class StandardSettingsFiles : public testing::Test {
protected:
  void TearDown() override {
    restore("HOME", home_);
    restore("XDG_CONFIG_HOME", configuration_);
  }

  static void set(const char *home, const char *configuration) {
    restore("HOME", home ? std::optional<std::string>(home) : std::nullopt);
    restore("XDG_CONFIG_HOME",
            configuration ? std::optional<std::string>(configuration) : std::nullopt);
  }

private:
  static std::optional<std::string> value(const char *name) {
    const char *text = std::getenv(name);
    return text ? std::optional<std::string>(text) : std::nullopt;
  }

  static void restore(const char *name, const std::optional<std::string> &to) {
    if (to)
      setenv(name, to->c_str(), 1);
    else
      unsetenv(name);
  }

  std::optional<std::string> home_ = value("HOME");
  std::optional<std::string> configuration_ = value("XDG_CONFIG_HOME");
};

TEST_F(StandardSettingsFiles, AreTheMachinesAndTheUsers) {
  set("/home/ada", "/home/ada/settings");
  EXPECT_THAT(standard_settings_files(),
              ElementsAre("/etc/sartor/ld.toml", "/home/ada/settings/sartor/ld.toml"));
  for (const char *ignored : {static_cast<const char *>(nullptr), "", "relative"}) {
    set("/home/ada", ignored);
    EXPECT_THAT(standard_settings_files(),
                ElementsAre("/etc/sartor/ld.toml", "/home/ada/.config/sartor/ld.toml"));
  }
  set(nullptr, nullptr);
  EXPECT_THAT(standard_settings_files(), ElementsAre("/etc/sartor/ld.toml"));
}

} // namespace
} // namespace sartor::loader
