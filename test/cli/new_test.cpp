// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>

#include "command.h"
#include "paths.h"

namespace {

namespace fs = std::filesystem;
using sartor::test::Ran;
using sartor::test::run;
using testing::HasSubstr;

/// test/e2e/new_project.sh builds and runs projects; this is about what is written and refused.
class New : public testing::Test {
protected:
  New() { fs::create_directories(folder_); }
  ~New() override { fs::remove_all(folder_); }

  [[nodiscard]] Ran made(const std::string &arguments) const {
    return run("cd '" + folder_.string() + "' && " + paths::sartor_command() + " new " + arguments);
  }
  [[nodiscard]] std::string content_of(const fs::path &file) const {
    std::ifstream stream(folder_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  fs::path folder_ = fs::temp_directory_path() / ("sartor-new-test-" + std::to_string(getpid()));
};

TEST_F(New, ListsWhatItWritesAndHowItIsBuilt) {
  const Ran ran = made("filter --lang c");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("filter/CMakeLists.txt\n"));
  EXPECT_THAT(ran.out, HasSubstr("cmake --build filter/build\nfilter/build/filter\n"));
  EXPECT_THAT(content_of("filter/CMakeLists.txt"), HasSubstr("add_executable(filter main.c)"));
  EXPECT_THAT(content_of("filter/handlers.c"), HasSubstr("sartor_enum(\"terms\""));
}

TEST_F(New, IsInCxxUnlessAnotherLanguageIsNamed) {
  EXPECT_EQ(made("filter").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "filter/main.cpp"));
}

TEST_F(New, WritesNothingOverExistingFiles) {
  fs::create_directory(folder_ / "filter");
  EXPECT_EQ(made("filter").status, 0); // it was empty
  std::ofstream(folder_ / "filter/main.cpp") << "mine";
  const Ran ran = made("filter");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("file_error: \"filter\": exists and is not empty"));
  EXPECT_EQ(content_of("filter/main.cpp"), "mine");
  std::ofstream(folder_ / "file") << "mine";
  EXPECT_EQ(made("file").status, 1);
  EXPECT_EQ(content_of("file"), "mine");
}

TEST_F(New, RefusesNamesThatBuildSystemsDoNotTake) {
  for (const char *name : {"1st", "a/b", "../x", "'a b'", "x+y", "test", "handlers", "sartor",
                           "edit_cache", "deps", "build"}) {
    const Ran ran = made(name);
    EXPECT_EQ(ran.status, 1) << name;
    EXPECT_THAT(ran.err, HasSubstr("bad_argument")) << name;
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(New, RefusesLanguagesThatItDoesNotKnow) {
  const Ran ran = made("filter --lang pascal");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("pascal"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(New, InRustNeedsTheCratesOfTheInstallation) {
  const Ran ran = made("filter --lang rust"); // a build directory has none
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("has no Rust crates"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

} // namespace
