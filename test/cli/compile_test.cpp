// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>

#include "command.h"
#include "core/image/processor.h"
#include "paths.h"

namespace {

namespace fs = std::filesystem;
using sartor::test::Ran;
using sartor::test::run;
using sartor::test::sartor;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char *kColumns = R"('{"columns":8,"mode":2}')";

/// Fixture with a copy of a program that has handlers.
class Compile : public testing::Test {
protected:
  Compile() {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    fs::copy_file(paths::compile_program(), program_);
    setenv("SARTOR_COMPILER", "none", 1);
  }
  ~Compile() override {
    unsetenv("SARTOR_COMPILER");
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }

  [[nodiscard]] Ran compile(const std::string &options) const {
    return sartor("compile " + program_.string() + " " + options);
  }
  /// Output of the program for `configuration` when no compiler is available, without its remarks
  /// on plain pointers.
  std::string ran(const std::string &configuration = kColumns) {
    const Ran ran = run(program_.string() + " " + configuration);
    EXPECT_EQ(ran.status, 0) << ran.err;
    const std::size_t end = ran.out.find("by pointers: ");
    by_pointers_ = end == std::string::npos ? "" : ran.out.substr(end + 13);
    return ran.out.substr(0, end);
  }
  /// Digest of the results of the generic code.
  [[nodiscard]] std::string digest() const {
    const std::string out = run("SARTOR=off " + program_.string()).out;
    return out.substr(0, out.find('\n') + 1);
  }
  [[nodiscard]] static std::string bytes_of(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path directory_ = fs::canonical(testing::TempDir()) /
                        ("sartor_cli_compile_" + std::to_string(getpid()) + "_" +
                         testing::UnitTest::GetInstance()->current_test_info()->name());
  fs::path program_ = directory_ / "program";
  std::string by_pointers_;
};

TEST_F(Compile, MakesWhatAProgramNeedsNoCompilerFor) {
  const Ran made = compile("--config " + std::string(kColumns));
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, ContainsRegex("scale_rows\\{columns=8,mode=2\\} +native +"));
  EXPECT_EQ(ran(), "scale_rows{columns=8,mode=2} ahead_of_time\n" + digest());
}

TEST_F(Compile, OfSomethingElseSaysWhatIsMissing) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  const std::string out = ran(R"('{"columns":16}')");
  EXPECT_THAT(out,
              HasSubstr("no_compiler: \"scale_rows{columns=16}\": was not compiled ahead of time"));
  EXPECT_THAT(out, testing::EndsWith(digest()));
}

TEST_F(Compile, HasFunctionsOfTheTypesOfHandlersThatItMakes) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  ran();
  EXPECT_THAT(by_pointers_, HasSubstr("no_compiler: \"a function of the type of ")) << "blend's";
  EXPECT_EQ(compile(R"(--config '{"columns":8,"taps":4}')").status, 0);
  EXPECT_THAT(ran(R"('{"columns":8,"taps":4}')"), HasSubstr("blend{taps=4} ahead_of_time"));
  EXPECT_EQ(by_pointers_, "same\n");
}

TEST_F(Compile, HasTheCodeThatComparesCalls) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  const Ran ran = run("SARTOR_VERIFY=all " + program_.string() + " " + kColumns + " compare");
  EXPECT_THAT(ran.out, HasSubstr("ahead_of_time\n" + digest()));
  EXPECT_THAT(ran.out, testing::EndsWith("compared: yes\n")) << ran.err;
}

TEST_F(Compile, LeavesTheCompilerToWhatIsMissing) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  setenv("SARTOR_COMPILER", "in-process", 1);
  EXPECT_EQ(ran(), "scale_rows{columns=8,mode=2} ahead_of_time\n" + digest());
  EXPECT_EQ(ran(R"('{"columns":16}')"), "scale_rows{columns=16} compiled\n" + digest());
}

TEST_F(Compile, MakesTheGenericProgramsResultsForEachLevel) {
  for (const std::string level : sartor::core::levels_of_this_processor()) {
    const Ran made =
        compile("--cpu " + level + R"( --config '{"taps":8,"columns":4}' '{"taps":[3,4]}')");
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.out, AllOf(HasSubstr("blend{taps=8}  "), HasSubstr("  " + level + "  ")));
    EXPECT_EQ(ran(R"('{"taps":[3,4]}')"), "blend{taps=3|4} ahead_of_time\n" + digest()) << level;
    EXPECT_THAT(ran(R"('{"taps":8,"columns":4}')"),
                AllOf(HasSubstr("blend{taps=8} ahead_of_time\n"),
                      HasSubstr("scale_rows{columns=4} ahead_of_time\n"), HasSubstr(digest())))
        << level;
    EXPECT_EQ(by_pointers_, "same\n") << level;
  }
}

TEST_F(Compile, TakesWhatIsMadeForTheProcessorItself) {
  EXPECT_EQ(compile("--cpu native x86-64 --config " + std::string(kColumns)).status, 0);
  EXPECT_EQ(ran(), "scale_rows{columns=8,mode=2} ahead_of_time\n" + digest());
}

TEST_F(Compile, LeavesWhatThisProcessorLacksAlone) {
  if (std::string(sartor::core::levels_of_this_processor().front()) == "x86-64-v4")
    GTEST_SKIP() << "this processor has all levels there are";
  EXPECT_EQ(compile("--cpu x86-64-v4 --config " + std::string(kColumns)).status, 0);
  EXPECT_THAT(ran(), HasSubstr("no_compiler"));
}

TEST_F(Compile, ReadsFilesOfConfigurationsAndOfBestKnownOnes) {
  std::ofstream(directory_ / "tuned.json") << R"([{"columns":4}, {"columns":16}])";
  std::ofstream(directory_ / "best_known")
      << R"({"best_known":{"taps":8},"objective":"sums","workload":"day","points":{}})" << '\n'
      << R"({"best_known":{"taps":1},"objective":"sums","workload":"night","points":{}})" << '\n';
  const Ran made = compile("--config " + (directory_ / "tuned.json").string() + " " +
                           (directory_ / "best_known").string());
  EXPECT_EQ(made.status, 0) << made.err;
  for (const char *variant :
       {"scale_rows{columns=4}", "scale_rows{columns=16}", "blend{taps=8}", "blend{taps=1}"})
    EXPECT_THAT(made.out, HasSubstr(variant));
}

TEST_F(Compile, PutsAnewWhatWasThere) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  EXPECT_EQ(compile(R"(--config '{"columns":16}')").status, 0);
  EXPECT_EQ(ran(R"('{"columns":16}')"), "scale_rows{columns=16} ahead_of_time\n" + digest());
  EXPECT_THAT(ran(), HasSubstr("no_compiler"));
}

TEST_F(Compile, MakesTheSameFileEachTime) {
  const std::string options = "--config " + std::string(kColumns) + " --output ";
  EXPECT_EQ(compile(options + (directory_ / "one").string()).status, 0);
  EXPECT_EQ(compile(options + (directory_ / "other").string()).status, 0);
  EXPECT_TRUE(bytes_of(directory_ / "one") == bytes_of(directory_ / "other"));
  EXPECT_TRUE(bytes_of(program_) == bytes_of(paths::compile_program()));
}

TEST_F(Compile, StaysWithAProgramThatIsStrippedAndMoved) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  EXPECT_EQ(run("strip " + program_.string()).status, 0);
  fs::rename(program_, directory_ / "elsewhere");
  program_ = directory_ / "elsewhere";
  EXPECT_EQ(ran(), "scale_rows{columns=8,mode=2} ahead_of_time\n" + digest());
}

TEST_F(Compile, ReportsImagesThatFitNot) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  std::string other = bytes_of(program_);
  const std::size_t index = other.find("SARTPRE\1") + 16;
  const std::size_t pieces = 5; // the opened module, a variant, two functions, checking code
  for (std::size_t i = 0; i < pieces; ++i)
    other.at(index + i * 48) = static_cast<char>(other.at(index + i * 48) ^ 0x41);
  std::ofstream(program_, std::ios::binary) << other;
  setenv("SARTOR_EVENT_LOG", "/dev/stderr", 1);
  const Ran ran = run(program_.string() + " " + kColumns);
  unsetenv("SARTOR_EVENT_LOG");
  EXPECT_THAT(ran.out, HasSubstr("no_compiler"));
  EXPECT_THAT(ran.err, HasSubstr("ahead_of_time_unusable"));
}

TEST_F(Compile, DoesWithoutWhatIsDamaged) {
  EXPECT_EQ(compile("--config " + std::string(kColumns)).status, 0);
  const std::string whole = bytes_of(program_);
  const std::size_t begin = whole.find("SARTPRE\1");
  ASSERT_NE(begin, std::string::npos);
  const std::string generic = digest();
  for (const std::size_t at : {begin, begin + 9, begin + 20, begin + 50, begin + 58, begin + 200,
                               begin + 400, begin + 3000}) {
    std::string damaged = whole;
    damaged.at(at) = static_cast<char>(damaged.at(at) ^ 0x41);
    std::ofstream(program_, std::ios::binary) << damaged;
    EXPECT_THAT(ran(), HasSubstr(generic)) << "byte " << at - begin;
  }
}

TEST_F(Compile, RefusesWhatCannotBeMadeAndLeavesTheFile) {
  const auto refuses = [&](const std::string &options, const std::string &why) {
    const Ran made = compile(options);
    EXPECT_EQ(made.status, 1) << options;
    EXPECT_THAT(made.err, HasSubstr(why));
    EXPECT_TRUE(bytes_of(program_) == bytes_of(paths::compile_program()));
  };
  refuses(R"(--config '{"colums":8}')", "unknown_label: \"colums\"");
  refuses(R"(--config '{"columns":"eight"}')", "columns");
  refuses("--config '{}'", "concerns no handler");
  refuses("--config '{\"columns\":'", "bad_json");
  const fs::path empty = fs::path(directory_) / "empty";
  std::ofstream file(empty);
  refuses("--config " + empty.string(),
          "bad_json: \"" + empty.string() + "\": has no configuration");
  refuses("--config /nowhere/tuned.json", "file_error: \"/nowhere/tuned.json\"");
  refuses("--cpu skylake --config " + std::string(kColumns),
          "\"skylake\": is no processor that is known");
}

TEST_F(Compile, SaysWhatChangesNothing) {
  const Ran made = compile(R"(--config '{"limit":3}')");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("limit (")) << "where";
  EXPECT_THAT(made.out, HasSubstr("stays generic"));
}

TEST_F(Compile, OfWhatHasNoHandlersSaysSo) {
  const Ran made = sartor("compile " + paths::no_handlers() + " --config " + std::string(kColumns));
  EXPECT_EQ(made.status, 1);
  EXPECT_THAT(made.err, HasSubstr("no_handler_module"));
  EXPECT_THAT(sartor("compile /etc/passwd --config '{}'").err, HasSubstr("file_error"));
}

TEST_F(Compile, LeavesAFileThatMayNotBeReplaced) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may write everywhere";
  fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(compile("--config " + std::string(kColumns)).err, HasSubstr("file_error"));
  EXPECT_TRUE(bytes_of(program_) == bytes_of(paths::compile_program()));
}

} // namespace
