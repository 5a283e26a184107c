// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_TEST_STAGES_H
#define SARTOR_COMPILER_CODEGEN_TEST_STAGES_H

#include <llvm/IR/PassManager.h>

#include "base/result.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// Stages that a compiler library built for tests adds to the compilation of variants
/// (compiler/mutants).
struct TestStages {
  /// Returns the context to specialize to, in place of a variant's own.
  Result<core::Context> (*context)(const core::Context &context);
  /// Adds a pass before and after those of a variant.
  void (*add_first)(llvm::ModulePassManager &passes);
  void (*add_last)(llvm::ModulePassManager &passes);
};

/// Null in the product. Set while the library is loaded.
inline const TestStages *test_stages = nullptr;

} // namespace sartor::compiler

#endif
