// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of specialize() and Stages.
#ifndef SARTOR_COMPILER_SPECIALIZE_STEPS_H
#define SARTOR_COMPILER_SPECIALIZE_STEPS_H

#include <map>
#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "compiler/specialize/specialize.h"

namespace sartor::compiler {

/// Returns the function of a handler, if it has a body. Fails with unknown_handler,
/// point_not_specializable.
Result<llvm::Function *> find_original(llvm::Module &prepared, const std::string &handler);

/// Fails with compile_failed if a module contains constructs that no code can be generated for.
Result<void> check_lowering(const llvm::Module &module, const std::string &handler);

/// Returns the invariant memory that a context can reach. Fails with unreadable_memory.
const Result<core::Reached> &reached_by(const core::Context &context);

/// See bind_arguments(). `context` decides the points.
void bind_known(Specialized &made, llvm::Function &entry, const core::Context &context,
                const std::map<unsigned, BoundArgument> &arguments);

/// See fold().
Result<void> fold_all(Specialized &made, const Symbols &symbols, const core::Context &context);

/// Must be called when no folding follows.
void finish(Specialized &made, llvm::Function &entry, const core::Context &context);

} // namespace sartor::compiler

#endif
