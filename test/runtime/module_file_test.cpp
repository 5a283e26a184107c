// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/language.h"
#include "paths.h"

extern "C" {
/// The handlers of the file refer to these. They are in the dynamic symbol table: see
/// CMakeLists.txt.
int program_factor = 10;
int steps_taken = 0;
int count_step(int by) { return steps_taken += by; }
int count_own_step(int by) {
  static int own_steps = 0;
  return own_steps += by;
}
}

namespace {

using sartor::ErrorCode;
using sartor::Runtime;

std::string fixture(const std::string &name) { return paths::fixtures() + "/" + name + ".ll"; }

std::string read(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A temporary file, which is removed at the end.
class ScratchFile {
public:
  explicit ScratchFile(const std::string &contents) {
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;

  [[nodiscard]] const std::string &path() const { return path_; }

private:
  std::string path_ = testing::TempDir() + "sartor_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                      std::to_string(getpid()) + ".ll";
};

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

void expect_refused(const std::string &path, ErrorCode code, const std::string &subject,
                    const std::string &message, const std::string &remedy) {
  expect_error([&] { Runtime(std::filesystem::path(path)); }, code, subject, message, remedy);
}

TEST(ModuleFile, HasLiteralsThatOutliveItsVariants) {
  Runtime runtime(std::filesystem::path(fixture("plain")));
  auto call = runtime.handler<const char *(int)>("word_for");
  runtime.specialize({{"sign", 1}});
  const char *one = call(1);
  runtime.specialize({{"sign", 2}});
  EXPECT_STREQ(one, "positive");
  EXPECT_EQ(call(2), one);
}

TEST(ModuleFile, SpecializesAHandlerWithNativeCode) {
  Runtime runtime(std::filesystem::path(fixture("plain")));
  auto call = runtime.handler<unsigned(unsigned, unsigned)>("c_handler");
  EXPECT_EQ(call(5, 2), 10U);
  runtime.specialize({{"c_mode", sartor::unguarded(3)}});
  EXPECT_EQ(call(5, 2), 15U);
  runtime.specialize({});
  EXPECT_EQ(call(5, 2), 10U);
}

TEST(ModuleFile, SpecializesAHandlerWithoutNativeCode) {
  Runtime runtime(std::filesystem::path(fixture("plain")));
  auto call = runtime.handler<int(int, int)>("cube");
  EXPECT_EQ(call(5, 3), 125);
  runtime.specialize({{"power", sartor::unguarded(2)}});
  EXPECT_EQ(call(5, 3), 25);
  runtime.specialize({});
  EXPECT_EQ(call(5, 3), 125);
  EXPECT_EQ(call.function()(5, 2), 25);
}

/// Calls a step in turn by specialized code, in which it is invariant, and directly.
void expect_one_state(int (*step)(int)) {
  struct Steps {
    int (*step)(int);
  };
  Runtime runtime(std::filesystem::path(fixture("pointed")));
  const Steps counted{step};
  const auto declared = runtime.invariant(counted);
  const std::map<unsigned, sartor::BoundArgument> bound{
      {0, reinterpret_cast<std::uintptr_t>(&counted)}};
  auto share = runtime.bind("take_step", bound);
  share.wait();
  auto *take = reinterpret_cast<int (*)(int)>(share.function(bound));
  EXPECT_EQ(take(3), 3);
  EXPECT_EQ(step(4), 7);
  EXPECT_EQ(take(1), 8);
}

TEST(ModuleFile, FunctionsThatInvariantMemoryLeadToHaveTheProgramsState) {
  steps_taken = 0;
  expect_one_state(count_step);
}

TEST(ModuleFile, FunctionsThatInvariantMemoryLeadToHaveTheProgramsStaticState) {
  expect_one_state(count_own_step);
}

TEST(ModuleFile, SpecializesAHandlerThatIsAskedForLater) {
  Runtime runtime(std::filesystem::path(fixture("plain")));
  runtime.specialize({{"power", sartor::unguarded(2)}});
  EXPECT_EQ(runtime.handler<int(int, int)>("cube")(5, 3), 25);
}

TEST(ModuleFile, AnswersForAHandlerWhileAnotherIsCompiled) {
  Runtime runtime(std::filesystem::path(fixture("plain")));
  auto first = runtime.handler<int(int, int)>("cube");
  auto future = runtime.specialize_async({{"power", 3}});
  auto second = runtime.handler<int(int, int)>("by_program");
  EXPECT_EQ(second(2, 1), 21);
  future.get();
  EXPECT_EQ(first(2, 3), 8);
}

TEST(ModuleFile, UsesTheProgramsVariables) {
  Runtime runtime(std::filesystem::path(fixture("plain")));
  auto call = runtime.handler<int(int, int)>("by_program");
  runtime.specialize({{"plus", 1}});
  EXPECT_EQ(call(3, 1), 31);
  program_factor = 20;
  EXPECT_EQ(call(3, 1), 61);
  program_factor = 10;
}

TEST(ModuleFile, ThatDoesNotExistIsRefused) {
  expect_refused("/nowhere.ll", ErrorCode::file_error, "/nowhere.ll", "No such file", "readable");
}

TEST(ModuleFile, ThatIsNoModuleIsRefused) {
  const ScratchFile file("define nothing at all\n");
  expect_refused(file.path(), ErrorCode::bad_bitcode, file.path(), "line 1", "build");
}

TEST(ModuleFile, ForAnotherTargetIsRefused) {
  const ScratchFile file(
      replaced(read(fixture("plain")), "target triple = \"x86_64", "target triple = \"riscv64"));
  expect_refused(file.path(), ErrorCode::wrong_target, file.path(), "riscv64", "for this machine");
}

TEST(ModuleFile, OfAnotherDataLayoutIsRefused) {
  const ScratchFile file(
      replaced(read(fixture("plain")), "target datalayout = \"e-", "target datalayout = \"E-"));
  expect_refused(file.path(), ErrorCode::wrong_target, file.path(), "data layout",
                 "for this machine");
}

TEST(ModuleFile, WithALabelOfTwoListsOfChoicesIsRefused) {
  expect_refused(fixture("conflict"), ErrorCode::conflicting_label, "size", "conflict.c:5",
                 "another label");
}

TEST(ModuleFile, WithALabelThatIsNoConstantIsRefused) {
  expect_refused(fixture("label_not_constant"), ErrorCode::label_not_constant,
                 "label_not_constant.c:4", "not a constant", "string literal");
}

TEST(ModuleFile, WithStaticStateIsRefused) {
  expect_refused(fixture("static_state"), ErrorCode::unbound_global, "calls", "static variable",
                 "sartor_add_handler()");
}

TEST(ModuleFile, WithThreadLocalStateIsRefused) {
  expect_refused(fixture("thread_local_state"), ErrorCode::unbound_global, "calls_of_thread",
                 "thread-local", "sartor_add_handler()");
}

TEST(ModuleFile, ThatTheCodeGeneratorRefusesChangesNothing) {
  Runtime runtime(std::filesystem::path(fixture("bad_assembly")));
  auto call = runtime.handler<unsigned(unsigned, unsigned)>("c_handler");
  expect_error([&] { runtime.specialize({{"c_mode", sartor::unguarded(3)}}); },
               ErrorCode::compile_failed, "c_handler", "no_such_instruction",
               "the active variant stays");
  EXPECT_EQ(call(5, 2), 10U);
}

TEST(ModuleFile, ThatUsesAMissingSymbolSaysWhich) {
  Runtime runtime(std::filesystem::path(fixture("missing_symbol")));
  expect_error([&] { (void)runtime.handler<int(int)>("uses_missing"); }, ErrorCode::missing_symbol,
               "defined_nowhere", "no address", "define it in the program");
  expect_error([&] { (void)runtime.handler<int(int)>("uses_missing"); }, ErrorCode::missing_symbol,
               "defined_nowhere", "no address", "define it in the program");
}

TEST(ModuleFile, BindsParametersThatTheCodeLeavesNoDoubtAbout) {
  sartor::Runtime runtime(paths::fixtures() + "/parameters.ll");
  const std::map<unsigned, sartor::BoundArgument> bound{{0, 1}, {2, 3.0}};
  auto share = runtime.bind("of_scalars", bound);
  share.wait();
  EXPECT_EQ(reinterpret_cast<long (*)(long)>(share.function(bound))(2), 123);
  for (const char *name : {"of_two", "of_complex"})
    expect_error([&] { (void)runtime.bind(name, {{1, 7}}); }, ErrorCode::bad_binding, name,
                 "does not say how they are passed", "-fplugin=SartorPlugin.so");
}

TEST(ModuleFile, BindsParametersThatTheFrontEndReported) {
  sartor::Runtime runtime(paths::fixtures() + "/parameters_reported.ll");
  struct Two {
    long a, b;
  };
  const Two two{1, 2};
  const std::map<unsigned, sartor::BoundArgument> number{{1, 7}};
  const std::map<unsigned, sartor::BoundArgument> object{
      {0, sartor::BoundArgument::object(&two, sizeof two)}};
  auto first = runtime.bind("of_two", number);
  auto second = runtime.bind("of_two", object);
  first.wait();
  second.wait();
  EXPECT_EQ(reinterpret_cast<long (*)(Two)>(first.function(number))(two), 127);
  EXPECT_EQ(reinterpret_cast<long (*)(long)>(second.function(object))(7), 127);
}

} // namespace
