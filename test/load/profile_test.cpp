// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/profile/profile.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>

#include "folder.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_info.h"
#include "loader/lib/profile/perf_script.h"

namespace sartor::loader {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr std::string_view text = "sartor-profile 1\n"
                                  "library 00ff /lib/a b.so\n"
                                  "function 00ff 0x10 5\n"
                                  "function 00ff 0x20 6\n"
                                  "call 00ff 0x10 00ff 0x20 7\n";

TEST(Profile, IsReadAndWritten) {
  const auto profile = Profile::parse(text, "a.profile");
  ASSERT_TRUE(profile) << profile.error().text();
  EXPECT_THAT(profile->names(), ElementsAre(Pair("00ff", "/lib/a b.so")));
  const ProfiledPlace first{"00ff", 0x10}, second{"00ff", 0x20};
  EXPECT_THAT(profile->functions(), ElementsAre(Pair(first, 5), Pair(second, 6)));
  EXPECT_THAT(profile->calls(), ElementsAre(Pair(Pair(first, second), 7)));
  EXPECT_EQ(profile->text(), text);
}

TEST(Profile, AddsCounts) {
  Profile profile;
  const ProfiledPlace function{"aa", 1};
  profile.count(function, 5);
  Profile other;
  other.count(function, 6);
  other.count(function, function, std::numeric_limits<std::uint64_t>::max());
  profile.add(other);
  profile.add(other);
  EXPECT_THAT(profile.functions(), ElementsAre(Pair(function, 17)));
  EXPECT_EQ(profile.calls().begin()->second, std::numeric_limits<std::uint64_t>::max());
}

TEST(Profile, SaysWhichLineIsWrong) {
  const auto subject = [](const std::string &wrong) {
    const auto profile = Profile::parse(wrong, "p");
    return profile ? "" : profile.error().subject;
  };
  EXPECT_EQ(subject(""), "p:1");
  EXPECT_EQ(subject("sartor-profile 2\n"), "p:1");
  EXPECT_EQ(subject("sartor-profile 1\n# comment\n\nfunction 00FF 0x1 1\n"), "p:4");
  for (const char *line : {"function 00ff 0x1", "function 00ff 0x1 1 1", "function 00ff zz 1",
                           "function 00ff 0x1 -1", "function 00ff 0x1 99999999999999999999",
                           "call 00ff 1 00ff 1", "library 00ff", "library xyz a", "else"})
    EXPECT_EQ(subject(std::string("sartor-profile 1\n") + line), "p:2") << line;
  EXPECT_EQ(subject("sartor-profile 1"), "");
}

TEST(Profile, SurvivesAnyDamage) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged(text);
    for (int j = 0; j < 3; ++j)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged.resize(random() % (damaged.size() + 1));
    static_cast<void>(Profile::parse(damaged, "p"));
  }
}

TEST(Profile, IsARegularFileOfLimitedSize) {
  const Folder folder;
  EXPECT_EQ(Profile::read(folder.path()).error().code, ErrorCode::file_error);
  EXPECT_EQ(Profile::read(folder.path() / "none").error().code, ErrorCode::file_error);
  EXPECT_EQ(Profile::read("/dev/zero").error().code, ErrorCode::file_error);
  std::ofstream(folder.path() / "p") << text;
  EXPECT_TRUE(Profile::read(folder.path() / "p"));
  EXPECT_FALSE(read_text(folder.path() / "p", 10));
}

/// A function of a library in this system, with its offset in the file.
struct Known {
  explicit Known(const char *path, std::size_t which) {
    const auto file = ElfFile::open(path);
    EXPECT_TRUE(file) << file.error().text();
    build_id = file->build_id();
    function = unwinding_of(*file)->functions[which];
    for (const Segment &segment : file->segments())
      if (segment.holds(function.begin))
        offset = function.begin - segment.address + segment.offset;
  }
  [[nodiscard]] ProfiledPlace place() const { return {build_id, function.begin}; }

  std::string build_id;
  CodeRange function{};
  std::uint64_t offset = 0;
};

constexpr const char *libc = "/lib/x86_64-linux-gnu/libc.so.6";

std::string hex(std::uint64_t number) {
  std::ostringstream out;
  out << std::hex << number;
  return out.str();
}

TEST(PerfScript, HasOffsetsInChains) {
  const Known inner(libc, 1000), outer(libc, 1001);
  std::istringstream lines("python3 -c  4272 66660.891414:     250000 cpu-clock:u: \n"
                           "\t           " +
                           hex(inner.offset + 3) + " inner+0x3 (" + libc + ")\n\t           " +
                           hex(outer.offset + (outer.function.end - outer.function.begin)) +
                           " outer+0x8 (" + libc + ")\n" +
                           "\t               0 [unknown] ([unknown])\n\n");
  const PerfSamples samples = samples_of(lines);
  EXPECT_EQ(samples.samples, 1U);
  EXPECT_THAT(samples.profile.functions(), ElementsAre(Pair(inner.place(), 1)));
  EXPECT_THAT(samples.profile.calls(), ElementsAre(Pair(Pair(outer.place(), inner.place()), 1)));
  EXPECT_THAT(samples.profile.names(), ElementsAre(Pair(inner.build_id, libc)));
}

TEST(PerfScript, HasAddressesWithoutChains) {
  const Known known(libc, 1000);
  const std::string line =
      "a b   4280/4281 [001] 2.5:   1 cycles:u:  " + hex(0x7f0000000000 + known.offset) +
      " name (" + libc + ")\n";
  std::istringstream lines(
      "a  4272 66660.1: PERF_RECORD_MMAP2 4272/4272: [0x100000(0x1000) @ 0 fe:00 1 0]: r-xp "
      "/other\n"
      "a  4272 66660.1: PERF_RECORD_MMAP2 4272/4272: [0x7f0000000000(0xfffffff) @ 0 fe:00 1 0]: "
      "r-xp " +
      std::string(libc) + "\na  4272 1.5: PERF_RECORD_FORK(4280:4280):(4272:4272)\n" + line + line +
      "a  9 1.5: 1 cycles:u: ffffffff81000000 name ([kernel.kallsyms])\n");
  const PerfSamples samples = samples_of(lines);
  EXPECT_EQ(samples.samples, 3U);
  EXPECT_THAT(samples.profile.functions(), ElementsAre(Pair(known.place(), 2)));
  EXPECT_THAT(samples.left_out, ElementsAre(Pair("[kernel.kallsyms]", 1)));
}

TEST(PerfScript, SurvivesAnyText) {
  std::mt19937 random(2);
  constexpr std::string_view pieces[] = {"PERF_RECORD_MMAP2 ",
                                         "1/1: [0x1(0x2",
                                         ") @ 0",
                                         "]: r-xp /x",
                                         "\n",
                                         "\t 12",
                                         " (",
                                         ")",
                                         "a 1 2.3: ",
                                         "cycles:",
                                         " ",
                                         "PERF_RECORD_FORK(1:1):(2:2)",
                                         "ffff",
                                         "[001]"};
  for (int i = 0; i < 3000; ++i) {
    std::string all;
    for (int j = 0; j < 20; ++j)
      all += pieces[random() % std::size(pieces)];
    std::istringstream lines(all);
    static_cast<void>(samples_of(lines));
  }
}

} // namespace
} // namespace sartor::loader
