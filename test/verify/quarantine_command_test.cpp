// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "../cli/command.h"
#include "base/build_stamp.h"
#include "core/image/processor.h"
#include "core/quarantine/quarantine.h"
#include "state_for_test.h"

namespace sartor {
namespace {

namespace fs = std::filesystem;
using core::Quarantine;
using core::QuarantineReason;
using nlohmann::json;
using test::key_named;
using testing::ContainsRegex;
using testing::HasSubstr;

class QuarantineCommand : public test::StateForTest {
protected:
  QuarantineCommand() { setenv("SARTOR_STATE_DIR", state().c_str(), 1); }
  ~QuarantineCommand() override { unsetenv("SARTOR_STATE_DIR"); }

  /// Quarantines a request; returns its key.
  [[nodiscard]] std::string add(const std::string &name, const std::string &build,
                                QuarantineReason reason = QuarantineReason::different) const {
    core::QuarantineKey key = key_named(name);
    key.build = build;
    key.processor = core::this_processor();
    const auto added = Quarantine(state()).add(quarantine_entry(key, name + "{B=16}", reason));
    EXPECT_TRUE(added) << added.error().text();
    return base::to_text(key.hash);
  }
  static std::string here() { return std::string(base::kBuildStamp) + " mathematics llvm"; }
};

TEST_F(QuarantineCommand, OfNothingSaysSo) {
  EXPECT_EQ(test::sartor("quarantine list").out, "Nothing is quarantined.\n");
  EXPECT_EQ(test::sartor("quarantine list --json").out, "{\"entries\":[]}\n");
  EXPECT_EQ(test::sartor("quarantine clear").out, "0 requests are allowed again\n");
  EXPECT_FALSE(fs::exists(state()));
}

TEST_F(QuarantineCommand, OfAStateDirectoryThatCannotBeUsedIsAnError) {
  std::ofstream(state()) << "a file";
  for (const char *command :
       {"quarantine list", "quarantine list --json", "quarantine show 5f", "quarantine clear"}) {
    const test::Ran ran = test::sartor(command);
    EXPECT_EQ(ran.status, 1) << command;
    EXPECT_EQ(ran.out, "") << command;
    EXPECT_THAT(ran.err, HasSubstr("\"" + folder().string() + "\": cannot be examined: Not a "))
        << command;
  }
}

TEST_F(QuarantineCommand, ListsEntries) {
  const std::string key = add("blend", here(), QuarantineReason::hung);
  (void)add("old", "another build");
  const test::Ran ran = test::sartor("quarantine list");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("^KEY +LAST SEEN +BUILD +VARIANT +WHY\n"));
  EXPECT_THAT(ran.out, ContainsRegex(key.substr(0, 12) +
                                     " +20[^\n]+ this +blend.B=16. +hung in 1 process\n"));
  EXPECT_THAT(ran.out, ContainsRegex("another +old.B=16. +different in 1 process\n"));
  const json all = json::parse(test::sartor("quarantine list --json").out)["entries"];
  ASSERT_EQ(all.size(), 2U);
  for (const json &each : all)
    EXPECT_EQ(each["applies"], each["handler"] == "blend");
}

TEST_F(QuarantineCommand, ShowsAnEntry) {
  const std::string key = add("blend", here());
  const test::Ran ran = test::sartor("quarantine show " + key.substr(0, 8));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("key +" + key + "\nwhy +different in 1 process\n"));
  EXPECT_THAT(ran.out, ContainsRegex("configuration +.\"B\":16.\n"));
  const json shown = json::parse(test::sartor("quarantine show --json " + key).out);
  EXPECT_EQ(shown["key"], key);
  EXPECT_EQ(shown["configuration"], json({{"B", 16}}));
}

TEST_F(QuarantineCommand, RemovesAnEntry) {
  const std::string key = add("blend", here());
  const std::string other = add("other", here());
  EXPECT_EQ(test::sartor("quarantine remove " + key).out,
            key.substr(0, 12) + " is allowed again\n");
  const json left = json::parse(test::sartor("quarantine list --json").out)["entries"];
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0]["key"], other);
  EXPECT_EQ(test::sartor("quarantine clear").out, "1 request is allowed again\n");
  EXPECT_EQ(test::sartor("quarantine list").out, "Nothing is quarantined.\n");
}

TEST_F(QuarantineCommand, OfAnUnknownKeySaysSo) {
  (void)add("blend", here());
  for (const std::string command : {"show", "remove"}) {
    const test::Ran ran = test::sartor("quarantine " + command + " xyz");
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.err, HasSubstr("is the beginning of no key in the quarantine"));
    EXPECT_EQ(test::sartor("quarantine " + command).status, 2);
  }
}

TEST_F(QuarantineCommand, ListsCrashMarkersAndDamage) {
  const std::string key = add("blend", here());
  std::ofstream(folder() / ("crashed.4711." + base::to_text(key_named("empty").hash))).flush();
  std::ofstream(folder() / (key + ".json")) << "half";
  const std::string out = test::sartor("quarantine list").out;
  EXPECT_THAT(out, HasSubstr("crashed in 1 process"));
  EXPECT_THAT(out, HasSubstr("(its file is not a JSON object)"));
  EXPECT_EQ(test::sartor("quarantine remove " + key).status, 0);
}

TEST_F(QuarantineCommand, SaysThatOthersCanWrite) {
  (void)add("blend", here());
  fs::permissions(folder(), fs::perms::others_write, fs::perm_options::add);
  const test::Ran ran = test::sartor("quarantine list");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr(folder().string() + "\": can be written by others"));
  EXPECT_THAT(ran.err, HasSubstr("chmod go-w"));
}

TEST_F(QuarantineCommand, TheDoctorMentionsEntries) {
  EXPECT_THAT(test::sartor("doctor").out, HasSubstr("no variant has differed"));
  (void)add("blend", here());
  EXPECT_THAT(test::sartor("doctor").out, HasSubstr("1 request is not specialized"));
}

} // namespace
} // namespace sartor
