// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_BITCODE_H
#define SARTOR_COMPILER_FRONTEND_BITCODE_H

#include <memory>
#include <string>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "base/result.h"

namespace sartor::compiler {

/// Returns a module as bitcode. Inline, because the plugin uses it without bitcode.cpp.
inline std::string bitcode_of(const llvm::Module &module) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return bitcode;
}

/// Parses bitcode (or LLVM assembly) and checks that it is for this machine and this LLVM. `name`
/// is for messages. Fails with bad_bitcode, wrong_llvm_version, wrong_target.
Result<std::unique_ptr<llvm::Module>> read_module(llvm::StringRef bytes, const std::string &name,
                                                  llvm::LLVMContext &context);

} // namespace sartor::compiler

#endif
