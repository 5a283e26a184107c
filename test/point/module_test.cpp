// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/load.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Bitcode/LLVMBitCodes.h>
#include <llvm/Bitstream/BitstreamWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/host.h"
#include "compiler/frontend/section.h"

namespace sartor::compiler {
namespace {

using testing::HasSubstr;

/// Bitcode of a module with one function, modified by `change`.
template <class Change> std::string bitcode(Change change) {
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  compiler::set_triple(module, host().triple);
  module.setDataLayout(host().layout);
  auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), false);
  auto *function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "seven", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  builder.CreateRet(builder.getInt32(7));
  change(module);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

std::string good_bitcode() {
  return bitcode([](llvm::Module &) {});
}

/// The same bitcode as another LLVM version would write it: with another identification block.
std::string produced_by(const std::string &producer, const std::string &bytes) {
  llvm::SmallVector<char, 0> buffer;
  {
    llvm::BitstreamWriter writer(buffer);
    for (const unsigned byte : {0x42U, 0x43U, 0xC0U, 0xDEU})
      writer.Emit(byte, 8);
    writer.EnterSubblock(llvm::bitc::IDENTIFICATION_BLOCK_ID, 5);
    llvm::SmallVector<unsigned, 32> text(producer.begin(), producer.end());
    writer.EmitRecord(llvm::bitc::IDENTIFICATION_CODE_STRING, text);
    llvm::SmallVector<unsigned, 1> epoch{llvm::bitc::BITCODE_CURRENT_EPOCH};
    writer.EmitRecord(llvm::bitc::IDENTIFICATION_CODE_EPOCH, epoch);
    writer.ExitBlock();
  }
  // A block consists of a header word, a word with its length in words, and its contents.
  std::uint32_t words = 0;
  std::memcpy(&words, bytes.data() + 8, sizeof words);
  return std::string(buffer.begin(), buffer.end()) + bytes.substr(12 + std::size_t{words} * 4);
}

sartor_module descriptor(const std::string &bytes) {
  return {SARTOR_MODULE_VERSION,
          "handlers.cpp",
          reinterpret_cast<const unsigned char *>(bytes.data()),
          bytes.size(),
          nullptr,
          0,
          nullptr,
          0};
}

/// The reason why a program that embeds this bitcode cannot be specialized.
Failure failure_of(const std::string &bytes) {
  const sartor_module module = descriptor(bytes);
  auto loaded = load_embedded({&module, 1});
  if (loaded) {
    ADD_FAILURE() << "was loaded";
    return {ErrorCode::bad_objective, "", "", ""};
  }
  EXPECT_EQ(loaded.error().subject, "handlers.cpp");
  EXPECT_NE(loaded.error().remedy, "");
  return loaded.error();
}

TEST(EmbeddedModule, IsLoaded) {
  const std::string bytes = good_bitcode();
  const sartor_module module = descriptor(bytes);
  EXPECT_TRUE(load_embedded({&module, 1}));
}

TEST(EmbeddedModule, OfANewerLlvmIsRefused) {
  const Failure failure = failure_of(produced_by("LLVM99.1.0", good_bitcode()));
  EXPECT_EQ(failure.code, ErrorCode::wrong_llvm_version);
  const std::string ours = std::to_string(LLVM_VERSION_MAJOR);
  EXPECT_EQ(failure.message, "was written by LLVM 99; needed is LLVM " + ours + " or older");
  EXPECT_EQ(failure.remedy, "compile the handlers with clang-" + ours);
}

TEST(EmbeddedModule, CutShortAnywhereIsRefused) {
  const std::string bytes = good_bitcode();
  for (std::size_t size = 0; size + 4 <= bytes.size(); size += 4) {
    const Failure failure = failure_of(bytes.substr(0, size));
    EXPECT_EQ(failure.code, ErrorCode::bad_bitcode) << size << " of " << bytes.size() << " bytes";
  }
}

TEST(EmbeddedModule, ThatIsNoBitcodeIsRefused) {
  EXPECT_EQ(failure_of("this is no bitcode").code, ErrorCode::bad_bitcode);
  EXPECT_EQ(failure_of("BC\xC0\xDE and then nonsense").code, ErrorCode::bad_bitcode);
}

TEST(EmbeddedModule, ForAnotherTargetIsRefused) {
  const Failure failure = failure_of(bitcode([](llvm::Module &module) {
    compiler::set_triple(module, llvm::Triple("riscv64-unknown-linux-gnu"));
  }));
  EXPECT_EQ(failure.code, ErrorCode::wrong_target);
  EXPECT_THAT(failure.message, HasSubstr("riscv64-unknown-linux-gnu"));
}

TEST(EmbeddedModule, OfAnotherDataLayoutIsRefused) {
  const Failure failure =
      failure_of(bitcode([](llvm::Module &module) { module.setDataLayout("e-p:32:32-i64:64"); }));
  EXPECT_EQ(failure.code, ErrorCode::wrong_target);
  EXPECT_THAT(failure.message, HasSubstr("data layout"));
}

TEST(EmbeddedModule, OfAnotherVersionOfSartorIsRefused) {
  const std::string bytes = good_bitcode();
  sartor_module module = descriptor(bytes);
  ++module.version;
  auto loaded = load_embedded({&module, 1});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::bad_bitcode);
  EXPECT_THAT(loaded.error().message, HasSubstr("another version of Sartor"));
}

TEST(EmbeddedModules, ThatDefineOneFunctionTwiceAreLeftOutButForTheFirst) {
  const std::string bytes = good_bitcode();
  const sartor_module modules[] = {descriptor(bytes), descriptor(bytes)};
  auto loaded = load_embedded(modules);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->left_out.size(), 1U);
  EXPECT_EQ(loaded->left_out[0].code, ErrorCode::bad_bitcode);
  EXPECT_THAT(loaded->left_out[0].message, HasSubstr("seven"));
}

TEST(EmbeddedModules, ThatAreTheSameWithVariablesOfTheirOwnAreNotTakenForOne) {
  const std::string bytes = good_bitcode();
  int variables[2] = {};
  const sartor_symbol rows[] = {{"state.sartor.0", &variables[0], nullptr},
                                {"state.sartor.0", &variables[1], nullptr}};
  sartor_module modules[] = {descriptor(bytes), descriptor(bytes)};
  for (std::size_t i = 0; i < 2; ++i) {
    modules[i].symbols = &rows[i];
    modules[i].symbol_count = 1;
  }
  auto loaded = load_embedded(modules);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->left_out.size(), 1U);
  EXPECT_THAT(loaded->left_out[0].message, HasSubstr("embedded twice"));
  EXPECT_EQ(loaded->symbols.at("state.sartor.0"), &variables[0]);
}

TEST(EmbeddedModules, ThatAreBadDoNotTakeTheOthersAlong) {
  const std::string good = good_bitcode();
  const std::string bad = "this is no bitcode";
  sartor_module old = descriptor(good);
  --old.version;
  const sartor_module modules[] = {old, descriptor(bad), descriptor(good)};
  auto loaded = load_embedded(modules);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->left_out.size(), 2U);
  auto handler = loaded->find("eight");
  ASSERT_FALSE(handler);
  EXPECT_THAT(handler.error().message, HasSubstr("handlers.cpp"));
  EXPECT_THAT(handler.error().message, HasSubstr("another version of Sartor"));
}

TEST(Program, ThatIsNoElfFileIsRefused) {
  auto loaded = load_program("/etc/passwd");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::file_error);
  EXPECT_EQ(loaded.error().subject, "/etc/passwd");
}

TEST(Program, WithoutAHandlerModuleIsRefused) {
  auto loaded = load_program("/proc/self/exe");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::no_handler_module);
  EXPECT_THAT(loaded.error().remedy, HasSubstr("sartor_add_handler()"));
}

TEST(Frames, AreFoundAgain) {
  const auto modules = unframe(framed("one") + framed("two, and longer") + framed("12345678"), "f");
  ASSERT_TRUE(modules);
  EXPECT_THAT(*modules, testing::ElementsAre("one", "two, and longer", "12345678"));
}

TEST(Frames, ThatAreDamagedAreRefused) {
  const std::string good = framed("one") + framed("two");
  for (const std::string &bad : {good + "tail", good.substr(0, 18), good.substr(8),
                                 std::string("SARTORBC") + std::string(8, '\xff')}) {
    const auto modules = unframe(bad, "program");
    ASSERT_FALSE(modules);
    EXPECT_EQ(modules.error().code, ErrorCode::bad_bitcode);
    EXPECT_EQ(modules.error().subject, "program");
  }
}

} // namespace
} // namespace sartor::compiler
