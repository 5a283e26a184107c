// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MACHINE_NANS_H
#define SARTOR_COMPILER_FRONTEND_MACHINE_NANS_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// What the machine gives for a floating-point operation with constant operands, of which LLVM has
/// computed `folded`. Where an element is a NaN and no operand's is, LLVM's has a clear sign bit,
/// and that of an x86 processor a set one.
[[nodiscard]] llvm::Constant *with_machine_nans(const llvm::Instruction &operation,
                                                llvm::ArrayRef<llvm::Constant *> operands,
                                                llvm::Constant *folded);

/// A pass that computes the operations of constants that give such NaNs. It comes before passes
/// that fold constants.
struct ComputeNans : llvm::PassInfoMixin<ComputeNans> {
  static constexpr const char *kName = "sartor-compute-nans";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
