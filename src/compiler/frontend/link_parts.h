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
  std::vector<Failure> left_out; ///< The reasons why parts were left out.
};

/// Links the parts into one module. A part that cannot be read, or cannot be linked with those
/// before it, is left out, so that one bad file does not affect the others. Fails if no part is
/// good, as read_module() does.
Result<Linked> link_parts(std::vector<Part> parts, llvm::LLVMContext &context);

} // namespace sartor::compiler

#endif
