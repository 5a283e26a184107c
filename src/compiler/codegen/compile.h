// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_COMPILE_H
#define SARTOR_COMPILER_CODEGEN_COMPILE_H

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <sartor/options.hpp>

#include "base/result.h"
#include "core/compiler/deadline.h"
#include "core/compiler/tier.h"

namespace sartor::compiler {

struct CompileOptions {
  core::Tier tier = core::Tier::full;
  Pipeline pipeline;
  const core::Deadline *deadline = nullptr; ///< Null: there is none.
};

/// Optimises a module in place for the host. Asks `deadline` between passes; what is left of the
/// pipeline is skipped when it has passed. Fails with bad_pipeline, broken_by_pass,
/// compile_timeout.
Result<void> optimize(llvm::Module &module, llvm::TargetMachine &machine,
                      const CompileOptions &options);

/// Checks every sartor_assert_const() of an unoptimised module on an optimised copy, and removes
/// them from the module. Fails with not_constant, and as optimize() does.
Result<void> check_assertions(llvm::Module &module, llvm::TargetMachine &machine,
                              const CompileOptions &options);

/// Whether a pipeline can be parsed and its plugins loaded. Fails with bad_pipeline.
Result<void> check_pipeline(const Pipeline &pipeline);

/// Generates code: the bytes of an ELF object file. Fails with compile_failed.
Result<std::string> generate(llvm::Module &module, llvm::TargetMachine &machine);

/// The same as assembly text, for people.
Result<std::string> generate_assembly(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace sartor::compiler

#endif
