// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/doctor/check.h"

#include <fstream>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>

#include "command.h"
#include "paths.h"

namespace {

namespace fs = std::filesystem;
using sartor::cli::Check;
using sartor::cli::Checks;
using sartor::cli::checks_of_cgroup;
using sartor::test::Ran;
using sartor::test::sartor;
using testing::HasSubstr;
using testing::Not;
using State = Check::State;

/// A hierarchy of cgroups as the kernel shows it.
class Cgroups {
public:
  Cgroups() { fs::create_directories(inner()); }
  ~Cgroups() { fs::remove_all(root_); }
  Cgroups(const Cgroups &) = delete;
  Cgroups &operator=(const Cgroups &) = delete;

  [[nodiscard]] fs::path outer() const { return root_ / "outer"; }
  [[nodiscard]] fs::path inner() const { return outer() / "inner"; }
  static void write(const fs::path &file, const std::string &text) { std::ofstream(file) << text; }
  [[nodiscard]] Checks checks() const { return checks_of_cgroup(inner(), root_); }

private:
  fs::path root_ = fs::temp_directory_path() / ("sartor-doctor-test-" + std::to_string(getpid()));
};

TEST(Doctor, ACgroupWithoutLimitsIsRight) {
  const Cgroups groups;
  Cgroups::write(groups.inner() / "memory.max", "max\n");
  Cgroups::write(groups.inner() / "cpu.max", "max 100000\n");
  const Checks checks = groups.checks();
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].state, State::ok);
  EXPECT_EQ(checks[0].found, "not limited");
}

TEST(Doctor, TheSmallestMemoryLeftOfACgroupAndThoseAboveItCounts) {
  const Cgroups groups;
  Cgroups::write(groups.inner() / "memory.max", std::to_string(4ULL << 30U));
  Cgroups::write(groups.inner() / "memory.current", std::to_string(1ULL << 20U));
  EXPECT_EQ(groups.checks().at(0).state, State::ok);
  Cgroups::write(groups.outer() / "memory.max", std::to_string(200ULL << 20U));
  EXPECT_EQ(groups.checks().at(0).state, State::ok);
  Cgroups::write(groups.outer() / "memory.current", std::to_string(150ULL << 20U));
  const Checks checks = groups.checks();
  EXPECT_EQ(checks.at(0).state, State::warning);
  EXPECT_THAT(checks.at(0).found, HasSubstr("50 MiB left"));
  EXPECT_THAT(checks.at(0).remedy, HasSubstr("SARTOR_COMPILER"));
  Cgroups::write(groups.outer() / "memory.current", std::to_string(250ULL << 20U));
  EXPECT_THAT(groups.checks().at(0).found, HasSubstr("0 MiB left"));
}

TEST(Doctor, CachedFilesLeaveTheMemoryOfACgroupFree) {
  const Cgroups groups;
  Cgroups::write(groups.inner() / "memory.max", std::to_string(1024ULL << 20U));
  Cgroups::write(groups.inner() / "memory.current", std::to_string(1020ULL << 20U));
  Cgroups::write(groups.inner() / "memory.stat", "anon 1048576\nfile 943718400\ninactive_file " +
                                                     std::to_string(900ULL << 20U) +
                                                     "\nactive_file 0\n");
  const Checks checks = groups.checks();
  EXPECT_EQ(checks.at(0).state, State::ok);
  EXPECT_EQ(checks.at(0).found, "904 MiB left");
}

TEST(Doctor, AShareOfAProcessorIsAWarning) {
  const Cgroups groups;
  Cgroups::write(groups.inner() / "cpu.max", "150000 100000\n");
  EXPECT_EQ(groups.checks().size(), 1U);
  Cgroups::write(groups.outer() / "cpu.max", "50000 100000\n");
  const Checks checks = groups.checks();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[1].state, State::warning);
  EXPECT_EQ(checks[1].subject, "cgroup processors");
}

TEST(Doctor, ListsHandlersAndPointsThatStayGeneric) {
  const Ran ran = sartor("doctor " + paths::program());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("handler scale_rows  2 points"));
  EXPECT_THAT(ran.out, HasSubstr("stays generic: the function calls setjmp or the like"));
  EXPECT_THAT(ran.out, HasSubstr("loads "));
  EXPECT_THAT(ran.out, HasSubstr("0 errors, 2 warnings"));
}

TEST(Doctor, AProgramWithoutHandlersIsAnError) {
  const Ran ran = sartor("doctor " + paths::no_handlers());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("has no handler module"));
  EXPECT_THAT(ran.out, HasSubstr("fix: give its handler files to sartor_add_handler() in CMake, or "
                                 "compile them by sartor-cc"));
  EXPECT_THAT(ran.out, Not(HasSubstr("library")));
}

TEST(Doctor, WritesJson) {
  const Ran ran = sartor("doctor --json " + paths::program());
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr(R"("state":"warning","subject":"point limit")"));
}

TEST(Doctor, AFileThatIsMissingIsAnError) {
  const Ran ran = sartor("doctor /nonexistent");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("No such file or directory"));
}

} // namespace
