// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "fake_target.h"
#include "folder.h"
#include "paths.h"

namespace sartor::loader {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Passes in a directory of their own, with the permissions that they need.
class PassLibraryTest : public testing::Test {
protected:
  [[nodiscard]] fs::path install(const std::string &name, const std::string &to = "passes") const {
    const fs::path directory = folder.path() / to;
    fs::create_directories(directory);
    fs::permissions(directory, fs::perms(0755));
    fs::copy_file(fs::path(paths::test_passes()) / (name + ".so"), directory / (name + ".so"));
    fs::permissions(directory / (name + ".so"), fs::perms(0644));
    return directory;
  }

  static Failure failure_of(const std::string &name, const fs::path &directory) {
    auto library = PassLibrary::load(name, {{directory}});
    EXPECT_FALSE(library) << name;
    return library ? Failure{} : std::move(library.error());
  }

  static void expect_refused(const std::string &name, const fs::path &directory,
                             const fs::path &subject, const char *says) {
    const Failure failure = failure_of(name, directory);
    EXPECT_EQ(failure.code, ErrorCode::bad_pass);
    EXPECT_EQ(failure.subject, subject);
    EXPECT_THAT(failure.message, HasSubstr(says));
    EXPECT_FALSE(failure.remedy.empty());
  }

  void expect_refused(const std::string &name, const char *says) const {
    const fs::path directory = install(name);
    expect_refused(name, directory, directory / (name + ".so"), says);
  }

  Folder folder;
};

TEST_F(PassLibraryTest, LoadsAPassByItsName) {
  auto loaded = PassLibrary::load("good", {{folder.path() / "none", install("good")}});
  ASSERT_TRUE(loaded) << loaded.error().text();
  const PassLibrary library = std::move(*loaded);
  EXPECT_STREQ(library.pass().name, "good");
  EXPECT_EQ(library.path(), folder.path() / "passes/good.so");
  EXPECT_STREQ(library.pass().run(nullptr, nullptr), "only looked at");
}

TEST_F(PassLibraryTest, TakesTheFirstDirectoryThatHasIt) {
  const fs::path first = install("good", "first"), second = install("good", "second");
  const auto library = PassLibrary::load("good", {{second, first}});
  ASSERT_TRUE(library) << library.error().text();
  EXPECT_EQ(library->path(), second / "good.so");
}

TEST_F(PassLibraryTest, ANameThatIsNotFoundSaysWhereItWasLookedFor) {
  const Failure failure = failure_of("none", folder.path());
  EXPECT_EQ(failure.code, ErrorCode::bad_pass);
  EXPECT_EQ(failure.subject, "none");
  EXPECT_THAT(failure.message, HasSubstr(folder.path().string()));
}

TEST_F(PassLibraryTest, NamesThatLeadElsewhereAreRefused) {
  const fs::path directory = install("good");
  for (const char *name : {"", "../passes/good", "Good", "good.so", "go od", "/good"})
    expect_refused(name, directory, name, "is no name of a pass");
}

TEST_F(PassLibraryTest, RefusesAnotherVersionOfTheInterface) {
  expect_refused("other_abi", "of the interface, not");
}

TEST_F(PassLibraryTest, RefusesWhatHasNoPass) { expect_refused("no_symbol", "no symbol"); }

TEST_F(PassLibraryTest, RefusesAPassThatCallsItselfSomethingElse) {
  expect_refused("other_name", "calls itself good");
}

TEST_F(PassLibraryTest, RefusesAPassWithoutAName) {
  expect_refused("no_name", "calls itself nothing");
}

TEST_F(PassLibraryTest, RefusesAPassThatDoesNothing) { expect_refused("no_run", "no function"); }

TEST_F(PassLibraryTest, RefusesWhatIsNoLibrary) {
  const fs::path file = folder.write("passes/text.so", "text");
  fs::permissions(file, fs::perms(0644));
  fs::permissions(file.parent_path(), fs::perms(0755));
  expect_refused("text", file.parent_path(), file, "text.so");
}

TEST_F(PassLibraryTest, RefusesAFileThatOthersCanWrite) {
  const fs::path directory = install("good");
  for (const unsigned mode : {0664U, 0646U}) {
    fs::permissions(directory / "good.so", fs::perms(mode));
    expect_refused("good", directory, directory / "good.so", "written by others");
  }
}

TEST_F(PassLibraryTest, RefusesADirectoryThatOthersCanWrite) {
  const fs::path directory = install("good");
  for (const unsigned mode : {0775U, 0757U, 01777U}) {
    fs::permissions(directory, fs::perms(mode));
    expect_refused("good", directory, directory, "written by others");
  }
}

TEST_F(PassLibraryTest, RefusesALinkToWhatOthersCanWrite) {
  const fs::path safe = folder.path() / "safe", target = install("good");
  fs::create_directory(safe);
  fs::permissions(safe, fs::perms(0755));
  fs::create_symlink(target / "good.so", safe / "good.so");
  EXPECT_TRUE(PassLibrary::load("good", {{safe}}));
  fs::permissions(target, fs::perms(0777));
  expect_refused("good", safe, target, "written by others");
}

TEST_F(PassLibraryTest, RefusesWhatBelongsToSomebodyElse) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  const fs::path directory = install("good");
  ASSERT_EQ(chown((directory / "good.so").c_str(), 65534, 65534), 0);
  expect_refused("good", directory, directory / "good.so", "belongs to another user (65534)");
}

/// The example of docs/loader/passes.md.
TEST_F(PassLibraryTest, TheExampleRefusesMemoryThatIsWritableAndExecutable) {
  const auto library = PassLibrary::load("no-wx", {{install("no-wx")}});
  ASSERT_TRUE(library) << library.error().text();
  const sartor_pass *const passes[] = {&library->pass()};
  FakeTarget target;
  ASSERT_TRUE(run_passes(target, passes, true));
  EXPECT_THAT(target.now.reports, IsEmpty());

  target.now.protection = SARTOR_READ | SARTOR_WRITE | SARTOR_EXECUTE;
  const auto refused = run_passes(target, passes, true);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("/lib/one.so has memory"));

  target.now.refusal.reset();
  target.now.options["report-only"] = "yes";
  ASSERT_TRUE(run_passes(target, passes, true));
  EXPECT_THAT(target.now.reports, ElementsAre(HasSubstr("/lib/one.so has memory")));
}

} // namespace
} // namespace sartor::loader
