// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/perf_map.h"

#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../files_of_the_program.h"

namespace sartor::runtime {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class PerfMapTest : public testing::Test {
protected:
  PerfMapTest() {
    std::string name = (fs::temp_directory_path() / "sartor-perf-map-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~PerfMapTest() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file(pid_t process = getpid()) const {
    return folder_ / ("perf-" + std::to_string(process) + ".map");
  }
  /// The lines that perf uses: all but the empty ones.
  [[nodiscard]] std::vector<std::string> lines(pid_t process = getpid()) const {
    std::vector<std::string> found;
    std::ifstream in(file(process));
    for (std::string line; std::getline(in, line);)
      if (!line.empty())
        found.push_back(line);
    return found;
  }

  fs::path folder_;
};

TEST_F(PerfMapTest, HasALineForEachFunction) {
  PerfMap map(folder_);
  map.add({{0x1000, 0x20, "a"}, {0x1020, 0x10, "b{N=1}"}});
  map.add({{0x2000, 0x8, "c\nd"}});
  EXPECT_THAT(lines(), ElementsAre("1000 20 a", "1020 10 b{N=1}", "2000 8 c d"));
}

TEST_F(PerfMapTest, AddressesThatComeAgainHaveTheirNewNamesAlone) {
  PerfMap map(folder_);
  map.add({{0x1000, 0x20, "old"}, {0x1020, 0x20, "old too"}, {0x1040, 0x20, "kept"}});
  std::ofstream(file(), std::ios::app) << "5000 10 of another JIT\n";
  map.add({{0x1010, 0x18, "new"}});
  EXPECT_THAT(lines(), ElementsAre("1040 20 kept", "5000 10 of another JIT", "1010 18 new"));
}

TEST_F(PerfMapTest, IsThisUsersAlone) {
  const mode_t before = umask(0);
  PerfMap(folder_).add({{0x1000, 0x20, "a"}});
  umask(before);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(PerfMapTest, LinkIsNotFollowed) {
  std::ofstream(folder_ / "precious") << "kept\n";
  fs::create_symlink(folder_ / "precious", file());
  testing::internal::CaptureStderr();
  PerfMap map(folder_);
  map.add({{0x1000, 0x20, "a"}});
  map.add({{0x2000, 0x20, "b"}});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("symbolic link"));
  EXPECT_THAT(lines(), ElementsAre("kept"));
}

TEST_F(PerfMapTest, OneThatWasRemovedIsMadeAnew) {
  PerfMap map(folder_);
  map.add({{0x1000, 0x20, "a"}});
  fs::remove(file());
  map.add({{0x2000, 0x20, "b"}});
  EXPECT_THAT(lines(), ElementsAre("1000 20 a", "2000 20 b"));
}

TEST_F(PerfMapTest, ChildHasItsOwnWithWhatItInherited) {
  PerfMap map(folder_);
  map.add({{0x1000, 0x20, "a"}});
  const pid_t child = fork();
  if (child == 0) {
    map.add({{0x1000, 0x10, "child's"}, {0x2000, 0x20, "b"}});
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_THAT(lines(), ElementsAre("1000 20 a"));
  EXPECT_THAT(lines(child), ElementsAre("1000 10 child's", "2000 20 b"));
}

TEST_F(PerfMapTest, GoesOnInItsFileWhenTheProgramHasClosedIt) {
  EXPECT_TRUE(is_true_in_child([&] {
    PerfMap map(folder_);
    map.add({{0x1000, 0x20, "a"}, {0x2000, 0x20, "b"}});
    closefrom(STDERR_FILENO + 1); // the file gets the same descriptor again
    map.add({{0x4000, 0x20, "e"}});
    map.add({{0x5000, 0x20, "f"}});
    const FilesOfTheProgram own;
    map.add({{0x1000, 0x20, "c"}, {0x3000, 0x20, "d"}});
    return own.are_untouched() &&
           lines() == std::vector<std::string>{"2000 20 b", "4000 20 e", "5000 20 f", "1000 20 c",
                                               "3000 20 d"};
  }));
}

} // namespace
} // namespace sartor::runtime
