// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences that mutants make, written by this program and repeated by `sartor replay`.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/compiler/find_compiler.h"
#include "core/compiler/no_deadline.h"
#include "core/difference/difference.h"
#include "mutant_handlers.h"
#include "paths.h"
#include "remote/protocol/order.h"
#include "remote/protocol/recorded_request.h"
#include "runtime/codemem/linker.h"
#include "specialize/folding.h"

extern "C" {
__attribute__((noinline)) long outside(long one, long other) { return one * 31 + other * 7; }
__attribute__((noinline)) void seen(long *value) { value[1] += value[2]; }
extern const sartor_module __start_sartor_modules[]; // NOLINT(bugprone-reserved-identifier)
extern const sartor_module __stop_sartor_modules[];  // NOLINT(bugprone-reserved-identifier)
}

namespace {

namespace core = sartor::core;
namespace fs = std::filesystem;
using sartor::test::Ran;
using testing::ContainsRegex;
using testing::HasSubstr;

/// The memory of the handlers, at an address at which another process has nothing.
struct Memory {
  Table table;
  char out[128];
};

Memory &memory_at_its_place() {
  static auto *memory = [] {
    void *at =
        mmap(reinterpret_cast<void *>(0x2000'0000'0000), sizeof(Memory), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return static_cast<Memory *>(at);
  }();
  return *memory;
}

class ReplayTest : public testing::Test {
protected:
  ReplayTest() {
    setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
    fs::remove_all(directory_);
    fill_memory();
    compiler_ = *core::find_compiler();
    module_ = std::make_shared<core::HandlerModule>(
        *compiler_->load_embedded({__start_sartor_modules, __stop_sartor_modules}));
  }
  ~ReplayTest() override {
    unsetenv("SARTOR_MUTANT");
    fs::remove_all(directory_);
  }

  static void fill_memory() {
    Memory &memory = memory_at_its_place();
    memory.table = {41, 10, memory.out};
    std::memset(memory.out, 3, sizeof memory.out);
  }

  /// Makes the call in this process, with native code and with the variant.
  core::Difference made(const std::string &handler, const std::string &mutant, long a, long b) {
    Memory &memory = memory_at_its_place();
    InvariantFixture declared;
    declared.add(memory.table);
    core::Context context;
    context.handler = handler;
    context.arguments.emplace(
        0, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&memory.table)));
    context.memory = declared.memory();
    core::Difference difference;
    difference.program = fs::read_symlink("/proc/self/exe");
    difference.handler = handler;
    difference.variant = handler + "{}";
    difference.compared = core::Comparison::writes;
    difference.time = 1;
    difference.mutant = mutant;
    difference.request = request_of(context, difference.variant);
    const auto call = *compiler_->frame_call(module_, handler);
    fill_memory();
    difference.frame = std::string(call.shape.bytes, '\0');
    const std::uint64_t arguments[] = {reinterpret_cast<std::uintptr_t>(&memory.table),
                                       static_cast<std::uint64_t>(a),
                                       static_cast<std::uint64_t>(b)};
    for (unsigned i = 0; i < 3; ++i)
      std::memcpy(&difference.frame[call.shape.arguments[i]], &arguments[i], sizeof arguments[i]);
    difference.result_offset = call.shape.result_offset;
    difference.result_bytes = call.shape.result_bytes;
    difference.memory = {{reinterpret_cast<std::uintptr_t>(&memory),
                          {reinterpret_cast<const char *>(&memory), sizeof memory}}};
    difference.native.result = called(call, module_->symbols.at(handler), difference);
    setenv("SARTOR_MUTANT", mutant.c_str(), 1);
    if (mutant.empty())
      unsetenv("SARTOR_MUTANT");
    sartor::runtime::Linker linker(module_->symbols);
    const auto maker = compiler_->make_maker(module_);
    auto draft = maker->draft(context, difference.variant, {}, core::NoDeadline());
    EXPECT_TRUE(draft) << draft.error().text();
    const auto code = linker.link(*(*draft)->make(core::NoDeadline()), {});
    EXPECT_TRUE(code) << code.error().text();
    if (!mutant.starts_with("null_load"))
      difference.changed.result = called(call, (*code)->entry(), difference);
    else
      difference.changed.outcome = {core::CallOutcome::Kind::crashed, 11};
    unsetenv("SARTOR_MUTANT");
    return difference;
  }

  std::string request_of(const core::Context &context, const std::string &symbol) {
    auto ordered = *sartor::remote::to_order(context, *module_);
    sartor::remote::RecordedRequest request;
    request.identity = module_->identity;
    request.order = std::move(ordered.order);
    request.order.symbol = symbol;
    for (const std::uint64_t invariant : ordered.invariants)
      request.invariants.push_back({invariant, {}});
    return sartor::remote::pack(request);
  }

  static std::string called(const core::FrameCall &call, void *code,
                            const core::Difference &difference) {
    sartor::runtime::Linker linker({});
    const auto stub = *linker.link(call.code, {});
    alignas(16) char frame[256] = {};
    fill_memory();
    std::ranges::copy(difference.frame, frame);
    reinterpret_cast<void (*)(void *, void *)>(stub->entry())(code, frame);
    return {frame + call.shape.result_offset, call.shape.result_bytes};
  }

  Ran replay(const core::Difference &difference, const std::string &options = {}) {
    const auto path = core::write_difference(directory_, difference);
    EXPECT_TRUE(path) << path.error().text();
    path_ = *path;
    return sartor::test::sartor("replay " + options + " '" + path_.string() + "'");
  }

  core::InProcessCompiler *compiler_ = nullptr;
  std::shared_ptr<const core::HandlerModule> module_;
  fs::path path_;
  const fs::path directory_ =
      fs::path(testing::TempDir()) / ("differences-" + std::to_string(::getpid()));
};

TEST_F(ReplayTest, RepeatsADifference) {
  const Ran ran = replay(made("numbers", "constant_off", 5, 9));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("the same difference as recorded"));
}

TEST_F(ReplayTest, NamesTheMutantAsThePass) {
  const Ran ran = replay(made("numbers", "constant_off", 5, 9), "--bisect");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              ContainsRegex("from pass [0-9]+ of [0-9]+ on: mutant constant_off, of numbers"));
}

TEST_F(ReplayTest, NamesTheFirstPassIfThatIsTheMutant) {
  auto difference = made("choice", "", 9, 5);
  difference.mutant = "unreachable";
  const Ran ran = replay(difference, "--bisect");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("another difference than recorded"));
  EXPECT_THAT(ran.out, ContainsRegex("from pass 1 of [0-9]+ on: mutant unreachable, of choice"));
}

TEST_F(ReplayTest, WritesTheCodeBeforeAndAfterThePassAndReducesIt) {
  const fs::path into = directory_.string() + ".reduced";
  fs::remove_all(into);
  const Ran ran =
      replay(made("choice", "constant_off:1", 9, 5), "--bisect --reduce '" + into.string() + "'");
  const auto content = [&](const char *name) {
    std::ifstream file(into / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_THAT(content("before.ll"), HasSubstr(", 41"));
  EXPECT_THAT(content("after.ll"), HasSubstr(", 42"));
  EXPECT_THAT(content("README.md"), HasSubstr("mutant constant_off"));
  const auto shown = [&](const char *name) {
    return sartor::test::sartor("replay '" + path_.string() + "' --module '" +
                                (into / name).string() + "'");
  };
  const Ran other = shown("README.md");
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("does not show the difference"));
  if (ran.err.find("llvm-reduce") != std::string::npos &&
      ran.err.find("is not installed") != std::string::npos)
    GTEST_SKIP() << "llvm-reduce is not installed";
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("reduced.ll, .* on: mutant constant_off, of choice"));
  EXPECT_LT(content("reduced.ll").size(), content("before.ll").size());
  EXPECT_EQ(shown("reduced.ll").status, 0);
  EXPECT_NE(content("reduced_before.ll"), content("reduced_after.ll"));
  EXPECT_THAT(content("README.md"), HasSubstr("reduced_before.ll"));
  fs::remove_all(into);
}

TEST_F(ReplayTest, DoesNotCompareAddressesOfLocals) {
  const Ran ran = replay(made("keeps", "", 5, 9));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("no difference any more"));
}

TEST_F(ReplayTest, BlamesSpecializationForWrongInvariantMemory) {
  const Ran ran = replay(made("numbers", "stale_invariant", 5, 9), "--bisect");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("specialization or code generation is at fault"));
}

TEST_F(ReplayTest, ShowsAddressesThatDiffer) {
  const Ran ran = replay(made("lanes", "store_dropped", 5, 9));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("0x20000000[0-9a-f]+: the variant writes "));
}

TEST_F(ReplayTest, SurvivesAFault) {
  const Ran ran = replay(made("numbers", "null_load", 5, 9), "--bisect");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("the same difference as recorded"));
  EXPECT_THAT(ran.out, HasSubstr("mutant null_load"));
}

TEST_F(ReplayTest, SaysThatThereIsNoDifference) {
  const Ran ran = replay(made("numbers", "", 5, 9), "--bisect");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("no difference any more"));
}

TEST_F(ReplayTest, TellsInfinityFromNumbersWhoseLastBitsMayDiffer) {
  auto difference = made("numbers", "", 5, -9); // positive: the bytes of a small double
  const double infinity = std::numeric_limits<double>::infinity();
  difference.inexact_floats = sizeof infinity;
  difference.native.result.assign(reinterpret_cast<const char *>(&infinity), sizeof infinity);
  const Ran ran = replay(difference);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Generic code has another result than the native code had"));
}

TEST_F(ReplayTest, SaysThatAMutantNeedsItsLibrary) {
  const auto difference = made("numbers", "constant_off", 5, 9);
  unsetenv("SARTOR_COMPILER_LIBRARY");
  const Ran ran = replay(difference);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("no difference any more"));
  EXPECT_THAT(ran.out, HasSubstr("The variant had the mutant constant_off"));
}

TEST_F(ReplayTest, OpensNoFilesInACall) {
  const Ran ran = replay(made("opens", "", 5, 9));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("native, recorded +returned +[0-9a-f]+ +37\n"));
  EXPECT_THAT(ran.out, ContainsRegex("generic code, now +returned +[0-9a-f]+ +1037\n"));
  EXPECT_THAT(ran.out, HasSubstr("depends on something that is not recorded"));
}

TEST_F(ReplayTest, NamesAFunctionThatItLacks) {
  const Ran ran = replay(made("control", "constant_off", 5, 9));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, ContainsRegex("missing_symbol.*outside"));
}

TEST_F(ReplayTest, RefusesMemoryThatCannotBeMapped) {
  auto difference = made("numbers", "constant_off", 5, 9);
  difference.memory.push_back({0xffff'ffff'ff60'0000, std::string(8, 'x')});
  const Ran ran = replay(difference);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("cannot be mapped"));
}

TEST_F(ReplayTest, RefusesFramesOfAnotherShape) {
  auto difference = made("numbers", "constant_off", 5, 9);
  difference.frame += std::string(8, '\0');
  const Ran ran = replay(difference);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("has other arguments"));
}

TEST_F(ReplayTest, KeepsTheFirstDifferences) {
  const auto difference = made("numbers", "constant_off", 5, 9);
  ASSERT_TRUE(core::write_difference(directory_, difference, {.count = 1}));
  const auto second = core::write_difference(directory_, difference, {.count = 1});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, sartor::ErrorCode::file_error);
  EXPECT_THAT(second.error().message, HasSubstr("1 differences already"));
  const auto large = core::write_difference(directory_, difference, {.count = 9, .bytes = 100});
  ASSERT_FALSE(large);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
  EXPECT_EQ(fs::status(directory_).permissions(), fs::perms::owner_all);
  const fs::path one = fs::directory_iterator(directory_)->path();
  EXPECT_EQ(fs::status(one).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(one / "memory").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ReplayTest, RefusesDamagedDirectories) {
  const auto difference = made("numbers", "constant_off", 5, 9);
  const auto again = core::read_difference(*core::write_difference(directory_, difference));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->memory, difference.memory);
  EXPECT_EQ(again->frame, difference.frame);
  EXPECT_EQ(again->request, difference.request);
  const core::DifferenceFiles files = core::files_of(difference);
  const auto refused = [&](const std::string &from, const std::string &to) {
    std::string text = files.description;
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = core::from_files("it", text, files.memory);
    ASSERT_FALSE(read) << to;
    EXPECT_EQ(read.error().code, sartor::ErrorCode::file_error);
  };
  refused("\"format\":1", "\"format\":2");
  refused("\"result_offset\":", "\"result_offset\":9");
  refused("\"result_bytes\":8", "\"result_bytes\":-8");
  refused("\"result_bytes\":8", "\"result_bytes\":4294967295");
  refused("\"bytes\":144", "\"bytes\":145");
  refused("\"bytes\":144", "\"bytes\":18446744073709551615");
  refused("\"offset\":0", "\"offset\":1");
  refused("\"outcome\":\"returned\"", "\"outcome\":\"won\"");
  refused("\"compared\":\"writes\"", "\"compared\":7");
  refused("\"memory\":[", "\"memory\":[[],");
  refused("\"frame\":\"", "\"frame\":\"zz");
  for (std::size_t size = 0; size + 1 < files.description.size(); size += 7)
    EXPECT_FALSE(core::from_files("it", files.description.substr(0, size), files.memory));
  EXPECT_FALSE(core::from_files("it", files.description, files.memory.substr(1)));
  EXPECT_EQ(sartor::test::sartor("replay /nowhere").status, 1);
}

} // namespace
