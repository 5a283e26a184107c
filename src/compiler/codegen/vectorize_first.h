// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_VECTORIZE_FIRST_H
#define SARTOR_COMPILER_CODEGEN_VECTORIZE_FIRST_H

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace sartor::compiler {

/// A pass that keeps loops of known length which only the loop vectorizer can vectorize: it
/// compares addresses at run time. Once such a loop is unrolled, each store may change what the
/// following iterations load, and the code remains scalar. Runs directly before loops are unrolled
/// completely.
struct KeepVectorizable : llvm::PassInfoMixin<KeepVectorizable> {
  static constexpr const char *kName = "sartor-keep-vectorizable";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &found, llvm::LPMUpdater &updater);
};

/// A pass that permits later passes to unroll the loops that KeepVectorizable has kept, and peels
/// the iterations that would not fill a vector, so that no loop is left for them. Runs before the
/// loop vectorizer.
struct PeelForVectors : llvm::PassInfoMixin<PeelForVectors> {
  static constexpr const char *kName = "sartor-peel-for-vectors";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &found, llvm::LPMUpdater &updater);
};

} // namespace sartor::compiler

#endif
