// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MACHINE_NANS_H
#define SARTOR_COMPILER_FRONTEND_MACHINE_NANS_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// Returns the machine's result of a floating-point operation with constant operands, given LLVM's
/// result `folded`. If an element of the result is a NaN and no operand's element is, LLVM's NaN
/// has a clear sign bit and that of an x86 processor a set one.
[[nodiscard]] llvm::Constant *with_machine_nans(const llvm::Instruction &operation,
                                                llvm::ArrayRef<llvm::Constant *> operands,
                                                llvm::Constant *folded);

/// A pass that computes constant operations with such NaN results. It runs before passes that fold
/// constants.
struct ComputeNans : llvm::PassInfoMixin<ComputeNans> {
  static constexpr const char *kName = "sartor-compute-nans";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
