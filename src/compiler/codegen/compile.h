// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_COMPILE_H
#define SARTOR_COMPILER_CODEGEN_COMPILE_H

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <sartor/options.hpp>

#include "base/result.h"
#include "core/compiler/deadline.h"
#include "core/compiler/pass_limit.h"
#include "core/compiler/tier.h"

namespace sartor::compiler {

struct CompileOptions {
  core::Tier tier = core::Tier::full;
  Pipeline pipeline;
  const core::Deadline *deadline = nullptr; ///< Null if there is no deadline.
  core::PassLimit *limit = nullptr;         ///< Null if all passes run.
  bool is_variant = false;                  ///< The stages of tests apply (test_stages.h).
};

/// Optimises a module in place for the host. Asks `deadline` between passes and skips the rest of
/// the pipeline once it has passed. Fails with bad_pipeline, broken_by_pass, compile_timeout.
Result<void> optimize(llvm::Module &module, llvm::TargetMachine &machine,
                      const CompileOptions &options);

/// Checks every sartor_assert_const() of an unoptimised module on an optimised copy, and removes
/// the assertions from the module. Fails with not_constant, and as optimize() does.
Result<void> check_assertions(llvm::Module &module, llvm::TargetMachine &machine,
                              const CompileOptions &options);

/// Checks that a pipeline can be parsed and its plugins can be loaded. Fails with bad_pipeline.
Result<void> check_pipeline(const Pipeline &pipeline);

/// Generates code and returns the bytes of an ELF object file. Fails with compile_failed.
Result<std::string> generate(llvm::Module &module, llvm::TargetMachine &machine);

/// Generates the same code as assembly text, for people.
Result<std::string> generate_assembly(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace sartor::compiler

#endif
