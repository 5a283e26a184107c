// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_READ_MODULE_H
#define SARTOR_COMPILER_FRONTEND_READ_MODULE_H

#include <memory>
#include <string>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "base/result.h"

namespace sartor::compiler {

/// Parses bitcode (or LLVM assembly) and checks that it is for this machine and this LLVM. `name`
/// is for messages. Fails with bad_bitcode, wrong_llvm_version, wrong_target.
Result<std::unique_ptr<llvm::Module>> read_module(llvm::StringRef bytes, const std::string &name,
                                                  llvm::LLVMContext &context);

} // namespace sartor::compiler

#endif
