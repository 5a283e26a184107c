// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_DIAGNOSTICS_H
#define SARTOR_COMPILER_FRONTEND_DIAGNOSTICS_H

#include <memory>
#include <string>

#include <llvm/IR/LLVMContext.h>

namespace sartor::compiler {

/// Collects the errors that LLVM finds in the modules of a context. Left alone, a context prints
/// them and ends the process.
class Diagnostics {
public:
  explicit Diagnostics(llvm::LLVMContext &context);

  /// The errors since the last time, or nothing.
  std::string take_errors();

private:
  std::shared_ptr<std::string> errors_;
};

} // namespace sartor::compiler

#endif
