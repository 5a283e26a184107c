// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `sartor explain` for handlers that run in the kernel.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"

namespace {

using nlohmann::json;
using sartor::test::Ran;
using sartor::test::sartor;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kPoints = paths::kernel_objects() + "/points.bpf.o ";
const std::string kMaps = paths::kernel_objects() + "/maps.bpf.o ";
const std::string kThreeRounds = R"(--handler points --config '{"rounds":3}' )";

json explained(const std::string &arguments) {
  const Ran ran = sartor("explain --json " + arguments);
  EXPECT_EQ(ran.status, 0) << ran.err;
  return json::parse(ran.out)["handlers"];
}

/// True if this process may load programs into the kernel.
bool may_ask() {
  return !explained(kPoints + "--handler points")[0]["kernel"].contains("not_reported");
}

/// The content of a map, as bpftool writes it, in a file that is removed with the object.
class Dump {
public:
  explicit Dump(const json &entries)
      : path_(std::filesystem::temp_directory_path() /
              ("sartor_dump_" + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_) << entries;
  }
  ~Dump() { std::filesystem::remove(path_); }
  Dump(const Dump &) = delete;
  Dump &operator=(const Dump &) = delete;

  [[nodiscard]] std::string option(const std::string &map) const {
    return "--map " + map + "=" + path_.string() + " ";
  }

private:
  std::filesystem::path path_;
};

json bytes(std::size_t count, unsigned first = 0) {
  json all = json::array();
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(i == 0 && first > 0 ? "0x0" + std::to_string(first) : "0x00");
  return all;
}

/// The whole content of `list`: eight values of 16 bytes.
json list_content() {
  json entries = json::array();
  for (unsigned i = 0; i < 8; ++i)
    entries.push_back({{"key", bytes(4, i)}, {"value", bytes(16)}});
  return entries;
}

TEST(ExplainKernel, ShowsTheInstructionsOfBoth) {
  const Ran ran = sartor("explain " + kPoints + kThreeRounds + "--asm");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("points{rounds=3}"));
  EXPECT_THAT(ran.out, HasSubstr("exit"));
  EXPECT_THAT(ran.out, ContainsRegex("\n +w0 = 1 +\\| +w0 = 1\n"));
  EXPECT_THAT(ran.out, ContainsRegex("instructions of BPF +[0-9]+ +[0-9]+"));
}

TEST(ExplainKernel, SaysWhatTheVerifierWalks) {
  const json kernel = explained(kPoints + kThreeRounds)[0]["kernel"];
  for (const char *which : {"generic", "variant"})
    EXPECT_GT(kernel[which]["instructions"], 0);
  if (geteuid() != 0 || kernel.contains("not_reported"))
    GTEST_SKIP() << "the kernel may not be asked: " << kernel["not_reported"];
  for (const char *which : {"generic", "variant"}) {
    EXPECT_GT(kernel[which]["verified_instructions"], 0);
    EXPECT_GT(kernel[which]["native_bytes"], 0);
  }
}

TEST(ExplainKernel, SaysThatTheKernelMayNotBeAsked) {
  const std::string command =
      "setpriv --bounding-set=-all --inh-caps=-all " + paths::sartor_command();
  const Ran ran = sartor::test::run(command + " explain " + kPoints + kThreeRounds);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("The kernel has not said anything of this: not_permitted"));
  EXPECT_THAT(ran.out, ContainsRegex("instructions of BPF +[0-9]+ +[0-9]+"));
}

TEST(ExplainKernel, ReportsOnePointAlone) {
  const json handlers = explained(kPoints + "length");
  ASSERT_EQ(handlers.size(), 1U);
  EXPECT_EQ(handlers[0]["handler"], "at_tc");
  EXPECT_EQ(handlers[0]["points"].size(), 1U);
  const Ran unknown = sartor("explain " + kPoints + "lenght");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("unknown_label: \"lenght\""));
  EXPECT_THAT(unknown.err, HasSubstr("length"));
  const Ran other = sartor("explain " + kPoints + "length --handler points");
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("is not reached by points"));
}

TEST(ExplainKernel, FindsObjectsInPrograms) {
  const json handlers =
      explained(paths::kernel_program() + " rounds --config '{\"at\":3}' --handler points");
  ASSERT_EQ(handlers.size(), 1U);
  EXPECT_EQ(handlers[0]["handler"], "points");
  EXPECT_EQ(sartor("space " + paths::kernel_program()).status, 0);
}

// Each object has handlers and points of its own.
TEST(ExplainKernel, SearchesAllObjectsOfAProgram) {
  const std::string program = "explain " + paths::kernel_program() + ' ';
  const Ran apart = sartor(program + "length --handler look");
  EXPECT_EQ(apart.status, 1);
  EXPECT_THAT(apart.err, HasSubstr("\"length\": is not reached by look"));
  const Ran handler = sartor(program + "--handler at_sockt");
  EXPECT_EQ(handler.status, 1);
  EXPECT_THAT(handler.err, HasSubstr("unknown_handler: \"at_sockt\""));
  EXPECT_THAT(handler.err, HasSubstr("\"at_socket\""));
  const Ran label = sartor(program + "lenght");
  EXPECT_EQ(label.status, 1);
  EXPECT_THAT(label.err, HasSubstr("unknown_label: \"lenght\""));
  EXPECT_THAT(label.err, HasSubstr("\"length\""));
}

TEST(ExplainKernel, ContentOfMapsFolds) {
  const Dump dump(list_content());
  const json report = explained(kMaps + dump.option("list") + "--handler look")[0];
  EXPECT_THAT(report["invariant_maps"], ElementsAre("list"));
  EXPECT_LT(report["whole"]["simplified"]["calls"]["after"],
            report["whole"]["simplified"]["calls"]["before"]);
  const json other = explained(kMaps + dump.option("list") + "--handler count")[0];
  ASSERT_EQ(other["changed_nothing"].size(), 1U);
  EXPECT_EQ(other["changed_nothing"][0]["code"], "map_not_read");
  EXPECT_THAT(other["changed_nothing"][0]["message"], HasSubstr("map list is declared invariant"));
  if (may_ask())
    EXPECT_GT(report["kernel"]["variant"]["verified_instructions"], 0);
}

TEST(ExplainKernel, BadDumpsAreReported) {
  const auto error_with = [](const json &content, const std::string &map) {
    const Ran ran = sartor("explain " + kMaps + Dump(content).option(map));
    EXPECT_EQ(ran.status, 1);
    return ran.err;
  };
  json short_list = list_content();
  short_list.erase(3);
  json wide = list_content();
  wide[0]["value"] = bytes(17);
  json words = list_content();
  words[0]["key"][0] = "0xzz";
  EXPECT_THAT(error_with(short_list, "list"), HasSubstr("lacks entry 3 of the array"));
  EXPECT_THAT(error_with(wide, "list"), HasSubstr("entry 0 is not of 4 bytes of key and 16"));
  EXPECT_THAT(error_with(words, "list"), HasSubstr("entry 0 is not of 4 bytes of key and 16"));
  EXPECT_THAT(error_with("text", "list"), HasSubstr("bad_json"));
  EXPECT_THAT(error_with(json::array(), "unmarked"), HasSubstr("bad_invariant: \"unmarked\""));
  EXPECT_THAT(sartor("explain " + kMaps + "--map list=/nowhere").err, HasSubstr("file_error"));
  EXPECT_THAT(sartor("explain " + paths::program() + " --map list=/nowhere").err,
              HasSubstr("it has none"));
}

TEST(ExplainKernel, WhatTheVerifierRefusesIsExplainedAndReported) {
  if (!may_ask())
    GTEST_SKIP() << "the kernel may not be asked";
  const Ran ran = sartor("explain " + paths::kernel_objects() +
                         "/refused.bpf.o --config '{\"at\":{\"values\":[4000],\"guard\":false}}'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("The kernel has not said all of this: refused_by_verifier"));
  EXPECT_THAT(ran.err, HasSubstr("refused_by_verifier"));
}

TEST(ExplainKernel, WhatIsNoHandlersObjectIsReported) {
  const Ran ran = sartor("explain " + paths::kernel_objects() + "/endless.bpf.o");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("mark a function with SARTOR_HANDLER"));
}

} // namespace
