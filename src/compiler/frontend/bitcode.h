// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Header-only, because the plugin and the compiler library use it.
#ifndef SARTOR_COMPILER_FRONTEND_BITCODE_H
#define SARTOR_COMPILER_FRONTEND_BITCODE_H

#include <string>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

namespace sartor::compiler {

/// Returns a module as bitcode.
inline std::string bitcode_of(const llvm::Module &module) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return bitcode;
}

} // namespace sartor::compiler

#endif
