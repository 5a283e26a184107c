// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policy file, which switches handlers off from the start of a program.
#include <cstdlib>
#include <fstream>

#include <sys/stat.h>

#include "paths.h"
#include "program.h"

namespace {

class PolicyFile : public testing::Test {
protected:
  PolicyFile() { std::filesystem::remove(path_); }
  ~PolicyFile() override { std::filesystem::remove(path_); }

  void write(const std::string &text) const { std::ofstream(path_) << text; }
  /// The result of a call in a program that starts now.
  static std::uint64_t result() {
    sartor::Runtime runtime(with_control());
    auto scaled = runtime.handler<&scale>();
    runtime.specialize({{"factor", sartor::unguarded(3)}});
    return scaled(7, 2, 1);
  }

  static constexpr std::uint64_t kNative = 14;
  static constexpr std::uint64_t kVariant = 21;
  const std::filesystem::path path_ = runtime_directory() / "policy.json";
};

TEST_F(PolicyFile, NoFileSwitchesNothingOff) { EXPECT_EQ(result(), kVariant); }

TEST_F(PolicyFile, SwitchesOffByHandlerLabelAndForAll) {
  write(R"({"off":[{"name":"scale"}]})");
  EXPECT_EQ(result(), kNative);
  write(R"({"off":[{"name":"factor"}]})");
  EXPECT_EQ(result(), kNative);
  write(R"({"off":[{}]})");
  EXPECT_EQ(result(), kNative);
  write(R"({"off":[{"name":"a handler of another program"}]})");
  EXPECT_EQ(result(), kVariant);
}

TEST_F(PolicyFile, SwitchesOffByBuildId) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string policy = paths::sartor_command() + " policy ";
  // NOLINTNEXTLINE(bugprone-command-processor): the commands are those of this test
  ASSERT_EQ(std::system((policy + "add --program '" + own + "' scale").c_str()), 0);
  EXPECT_EQ(result(), kNative);
  // NOLINTNEXTLINE(bugprone-command-processor): the commands are those of this test
  ASSERT_EQ(std::system((policy + "remove 1").c_str()), 0);
  EXPECT_EQ(result(), kVariant);
  write(R"({"off":[{"build_id":"0123","name":"scale"}]})");
  EXPECT_EQ(result(), kVariant);
}

TEST_F(PolicyFile, OneThatCannotBeUnderstoodSwitchesEverythingOff) {
  for (const char *text : {"", "nonsense", "[]", R"({"of":[]})", R"({"off":[1]})",
                           R"({"off":[{"nam":"scale"}]})", R"({"off":[{"name":7}]})"}) {
    write(text);
    EXPECT_EQ(result(), kNative) << text;
  }
}

TEST_F(PolicyFile, OneThatOthersCanWriteSwitchesEverythingOff) {
  write(R"({"off":[]})");
  EXPECT_EQ(result(), kVariant);
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  EXPECT_EQ(result(), kNative);
}

TEST_F(PolicyFile, AnOperatorCanUndoIt) {
  write(R"({"off":[{"name":"scale"}]})");
  sartor::Runtime runtime(with_control());
  auto scaled = runtime.handler<&scale>();
  runtime.specialize({{"factor", sartor::unguarded(3)}});
  ASSERT_EQ(scaled(7, 2, 1), kNative);
  EXPECT_EQ(Client(getpid()).ask({{"do", "on"}, {"name", "scale"}}).at("ok"), true);
  EXPECT_EQ(scaled(7, 2, 1), kVariant);
}

} // namespace
