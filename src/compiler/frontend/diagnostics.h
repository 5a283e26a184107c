// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_DIAGNOSTICS_H
#define SARTOR_COMPILER_FRONTEND_DIAGNOSTICS_H

#include <memory>
#include <string>

#include <llvm/IR/LLVMContext.h>

namespace sartor::compiler {

/// Collects the errors that LLVM finds in the modules of a context. By default, a context prints
/// errors and ends the process.
class Diagnostics {
public:
  explicit Diagnostics(llvm::LLVMContext &context);

  /// Returns the errors since the previous call; empty if none.
  std::string take_errors();

private:
  std::shared_ptr<std::string> errors_;
};

} // namespace sartor::compiler

#endif
