// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_POINT_READ_IR_H
#define SARTOR_TEST_POINT_READ_IR_H

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/host.h"
#include "compiler/frontend/llvm_version.h"

namespace sartor::compiler {

/// Parses some lines of IR into a module for this machine.
inline std::unique_ptr<llvm::Module> read_ir(const std::string &text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic mistake;
  auto module = llvm::parseAssemblyString(text, mistake, context);
  EXPECT_TRUE(module) << mistake.getMessage().str();
  compiler::set_triple(*module, host().triple);
  module->setDataLayout(host().layout);
  return module;
}

inline std::string text_of(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

} // namespace sartor::compiler

#endif
