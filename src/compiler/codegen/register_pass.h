// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_REGISTER_PASS_H
#define SARTOR_COMPILER_CODEGEN_REGISTER_PASS_H

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// Makes a function pass available to textual pipelines under its name, `Pass::kName`.
template <class Pass> void register_by_name(llvm::PassBuilder &builder) {
  builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                             llvm::FunctionPassManager &passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != Pass::kName)
      return false;
    passes.addPass(Pass());
    return true;
  });
}

} // namespace sartor::compiler

#endif
