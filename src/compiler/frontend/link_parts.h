// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LINK_PARTS_H
#define SARTOR_COMPILER_FRONTEND_LINK_PARTS_H

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <sartor/module.h>

#include "base/result.h"

namespace sartor::compiler {

/// The bitcode of one handler file.
struct Part {
  llvm::StringRef bytes;
  std::string name;
  std::span<const sartor_symbol> symbols = {};
};

struct Linked {
  std::unique_ptr<llvm::Module> module;
  std::vector<Failure> left_out; ///< Why parts are not in it.
};

/// Makes one module of the parts. A part that cannot be read, or not be linked with those before
/// it, is left out, so that one bad file does not take the others along. Fails where no part is
/// good, as read_module() does.
Result<Linked> link_parts(std::vector<Part> parts, llvm::LLVMContext &context);

} // namespace sartor::compiler

#endif
