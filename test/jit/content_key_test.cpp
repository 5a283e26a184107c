// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/content_key.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "core/cache/build_id.h"

namespace sartor::core {
namespace {

namespace fs = std::filesystem;
using base::ContentKey;

/// The key of a module with a function that returns `number`.
ContentKey key_of_module(int number, const Toolchain &toolchain, const Pipeline &pipeline = {}) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  builder.CreateRet(builder.getInt32(static_cast<unsigned>(number)));
  return compiler::content_key(module, Tier::full, pipeline, toolchain);
}

TEST(ContentKeyTest, IsThatOfTheContent) {
  const Toolchain &here = compiler::this_toolchain();
  EXPECT_EQ(key_of_module(1, here), key_of_module(1, here));
  EXPECT_NE(key_of_module(1, here), key_of_module(2, here));
}

TEST(ContentKeyTest, HasTheBuildIdsOfTheCodeThatRuns) {
  const auto here = core::build_id_at(reinterpret_cast<const void *>(&compiler::this_toolchain));
  ASSERT_TRUE(here);
  EXPECT_EQ(here->size(), 40U);
  EXPECT_THAT(compiler::this_toolchain().build, testing::StartsWith(*here + " "));
  EXPECT_GT(compiler::this_toolchain().build.size(), here->size() + 1) << "LLVM's";
}

TEST(ContentKeyTest, DistinguishesToolchains) {
  for (std::string Toolchain::*part : {&Toolchain::sartor, &Toolchain::llvm, &Toolchain::build,
                                       &Toolchain::triple, &Toolchain::cpu, &Toolchain::features}) {
    Toolchain other = compiler::this_toolchain();
    other.*part += "x";
    EXPECT_NE(key_of_module(1, other), key_of_module(1, compiler::this_toolchain()));
  }
}

TEST(ContentKeyTest, DistinguishesPipelinesAndRebuiltPlugins) {
  const fs::path plugin = testing::TempDir() + "sartor_plugin" + std::to_string(getpid());
  std::ofstream(plugin) << "one";
  const ContentKey none = key_of_module(1, compiler::this_toolchain());
  const ContentKey one =
      key_of_module(1, compiler::this_toolchain(), {.passes = "", .plugins = {plugin}});
  std::ofstream(plugin) << "another";
  const ContentKey another =
      key_of_module(1, compiler::this_toolchain(), {.passes = "", .plugins = {plugin}});
  fs::remove(plugin);
  EXPECT_NE(none, one);
  EXPECT_NE(one, another);
  EXPECT_NE(none, key_of_module(1, compiler::this_toolchain(), {.passes = "default<O1>"}));
}

} // namespace
} // namespace sartor::core
