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
using sartor::test::sartor;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DeviceCommand : public testing::Test {
protected:
  DeviceCommand() { fs::create_directories(directory_); }
  ~DeviceCommand() override { fs::remove_all(directory_); }

  [[nodiscard]] Ran device(const std::string &bitcode, const std::string &options) const {
    return sartor("device " + bitcode + " --output " + (directory_ / "my-handlers").string() + " " +
                  options);
  }
  [[nodiscard]] std::string written(const std::string &ending) const {
    std::ifstream file(directory_ / ("my-handlers" + ending));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path directory_ =
      fs::temp_directory_path() / ("sartor_device_test-" + std::to_string(getpid()));
};

TEST_F(DeviceCommand, WritesWhatTheServerAndTheProgramNeed) {
  const Ran made = device(paths::device_bitcode(), "--target x86-64-v2 --symbol more");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_FALSE(written(".module").empty());
  EXPECT_THAT(written(".c"),
              AllOf(HasSubstr("const struct sartor_device_module my_handlers_module"),
                    HasSubstr("{\"calls_seen\", "), HasSubstr("{\"outside_real\", "),
                    HasSubstr("{\"more\", "), HasSubstr("{\"memcpy\", "),
                    HasSubstr("__asm__(\"weight_of\") __attribute__((weak))"),
                    HasSubstr("__asm__(\"sums\") __attribute__((weak))"),
                    HasSubstr("\"divisor\"")));
  // The file names nothing of the build machine.
  EXPECT_THAT(written(".c"), Not(HasSubstr("handlers.c\"")));
}

TEST_F(DeviceCommand, GivesNamesToWhatIsStatic) {
  const Ran refused = device(paths::device_statics(), "--target x86-64");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("unbound_global: \"calls\""), HasSubstr("--native")));

  const std::string native = (directory_ / "native.bc").string();
  const Ran made = device(paths::device_statics(), "--target x86-64 --native " + native);
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr(native + ": compile it with clang"));
  EXPECT_THAT(written(".c"), AllOf(HasSubstr("{\"calls.of."), HasSubstr("{\"add.of."),
                                   HasSubstr("{\"limits.of."), HasSubstr("{\"counts\", ")));
  // The generic code has all handlers and no points.
  const std::string source = (directory_ / "main.c").string();
  const std::string program = (directory_ / "program").string();
  std::ofstream(source)
      << "int counts(int); extern int (*handed_out)(int);\n"
         "int main(void) { return counts(2) == 2 && handed_out(5) == 7 ? 0 : 1; }\n";
  const Ran compiled = run(CLANG " -O2 -o " + program + " " + native + " " + source);
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_EQ(run(program).status, 0);
}

TEST_F(DeviceCommand, TakesAliasesAndFunctionsThatMustNotBeCalled) {
  const Ran made = device(paths::device_aliases(), "--target x86-64");
  ASSERT_EQ(made.status, 0) << made.err;
  // Values that the linker or the program's start decides are left to the native code.
  EXPECT_THAT(written(".c"), AllOf(HasSubstr("{\"half\", "), HasSubstr("{\"chosen\", "),
                                   HasSubstr("{\"calls_of_all\", ")));

  const std::string native = (directory_ / "native.bc").string();
  const Ran both = device(paths::device_aliases(), "--target x86-64 --native " + native);
  ASSERT_EQ(both.status, 0) << both.err;
  const std::string source = (directory_ / "main.c").string();
  const std::string program = (directory_ / "program").string();
  std::ofstream(source)
      << "int sums_up(int); extern int calls;\n"
         "int main(void) { return sums_up(2) == 2 + 25 && calls == 1 ? 0 : 1; }\n";
  const Ran compiled = run(CLANG " -O2 -o " + program + " " + native + " " + source);
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_EQ(run(program).status, 0);
}

TEST_F(DeviceCommand, RefusesWhatItCannotPrepare) {
  const auto refuses = [&](const std::string &bitcode, const std::string &options,
                           const std::string &why) {
    const Ran made = device(bitcode, options);
    EXPECT_EQ(made.status, 1) << options;
    EXPECT_THAT(made.err, HasSubstr(why));
    EXPECT_TRUE(written(".c").empty());
  };
  refuses(paths::device_bitcode(), "--target z80",
          "wrong_target: \"z80\": is no processor that is known");
  refuses(paths::device_bitcode(), "--target aarch64+nonsense", "has no feature \"nonsense\"");
  refuses(paths::device_bitcode(), "--target aarch64", "wrong_target");
  refuses("/nowhere.bc", "--target aarch64", "file_error: \"/nowhere.bc\"");
  refuses("/etc/passwd", "--target aarch64", "bad_bitcode");
  refuses(paths::device_statics(), "--target x86-64 --native /nowhere/native.bc",
          "file_error: \"/nowhere/native.bc\"");
  const Ran nowhere =
      sartor("device " + paths::device_bitcode() + " --target x86-64 --output /nowhere/handlers");
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("file_error: \"/nowhere/handlers.module\""));
}

} // namespace
