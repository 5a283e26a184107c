// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "command.h"
#include "paths.h"

namespace {

namespace fs = std::filesystem;

using sartor::test::Ran;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// Fixture with an empty cache.
class Run : public testing::Test {
protected:
  Run() {
    std::string name = (fs::temp_directory_path() / "sartor-run-test-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~Run() override {
    std::error_code error; // a planner may still run
    fs::remove_all(directory_, error);
  }

  [[nodiscard]] Ran run(const std::string &arguments) const {
    return sartor::test::run("XDG_CACHE_HOME='" + directory_.string() + "' " +
                             paths::sartor_command() + " run " + arguments);
  }
  [[nodiscard]] const fs::path &directory() const { return directory_; }
  [[nodiscard]] std::ptrdiff_t images() const {
    std::error_code error;
    return std::ranges::count_if(
        fs::directory_iterator(directory_ / "sartor" / "ld", error),
        [](const auto &file) { return file.path().extension() == ".image"; });
  }

private:
  fs::path directory_;
};

TEST_F(Run, TheProgramsOutputAndStatusAreItsOwn) {
  const Ran ran = run("sh -c 'echo out; echo err >&2; exit 3'");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "out\n");
  EXPECT_THAT(ran.err, HasSubstr("err\n"));
}

TEST_F(Run, ThereIsAnImageAfterwards) {
  EXPECT_EQ(run("--strict /bin/true").status, 0); // --strict waits for the image
  EXPECT_EQ(images(), 1);
  EXPECT_EQ(run("--strict -- /bin/true").status, 0);
  EXPECT_EQ(images(), 1) << "the image is used again";
}

TEST_F(Run, OptionsBehindTheProgramAreTheProgramsOwn) {
  EXPECT_EQ(run("echo --strict -x -- --help").out, "--strict -x -- --help\n");
  EXPECT_EQ(run("-- echo -- --passes bind").out, "-- --passes bind\n");
}

TEST_F(Run, OptionsBeforeTheProgramArePassedOn) {
  const Ran ran = run("--strict --passes=nowhere-to-be-found /bin/true");
  EXPECT_EQ(ran.status, 126);
  EXPECT_THAT(ran.err, HasSubstr("nowhere-to-be-found"));
  EXPECT_EQ(run("--strict --passes nowhere-to-be-found -- /bin/true").status, 126);
  EXPECT_EQ(run("--passes=bind --in-place echo placed").out, "placed\n");
  EXPECT_EQ(run("--passes= echo plain").out, "plain\n");
}

TEST_F(Run, AConfigurationThatIsNotThereIsSaid) {
  const Ran ran = run("--strict --config /nowhere/ld.toml /bin/true");
  EXPECT_EQ(ran.status, 126);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere/ld.toml"));
}

TEST_F(Run, WithoutAProgramTheCommandLineIsWrong) {
  for (const char *arguments : {"", "--", "--strict", "--passes", "--no-such-option /bin/true"})
    EXPECT_EQ(run(arguments).status, 2) << arguments;
}

TEST_F(Run, WithoutTheFrontTheErrorSaysWhereItBelongs) {
  const fs::path alone = directory() / "sartor";
  fs::copy_file(paths::sartor_command(), alone);
  const Ran ran = sartor::test::run("'" + alone.string() + "' run /bin/true");
  EXPECT_EQ(ran.status, 127);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("sartor: file_error: \"" + alone.string() + "-ld\": is missing"));
  const Ran plan = sartor::test::run("'" + alone.string() + "' ld plan /bin/true");
  EXPECT_EQ(plan.status, 1);
  EXPECT_THAT(plan.err, ContainsRegex("file_error: \"[^\"]*/sartor-ld-plan\": is missing"));
}

} // namespace
