// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What specialize() and Stages do one after the other.
#ifndef SARTOR_COMPILER_SPECIALIZE_STEPS_H
#define SARTOR_COMPILER_SPECIALIZE_STEPS_H

#include <map>
#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "compiler/specialize/specialize.h"

namespace sartor::compiler {

/// The function of a handler that has a body. Fails with unknown_handler, point_not_specializable.
Result<llvm::Function *> find_original(llvm::Module &prepared, const std::string &handler);

/// Fails with compile_failed where a module has in it what no code can be made of.
Result<void> check_lowering(const llvm::Module &module, const std::string &handler);

/// The invariant memory that a context can reach. Fails with unreadable_memory.
const Result<core::Reached> &reached_by(const core::Context &context);

/// See bind_arguments(). `context` decides the points.
void bind_known(Specialized &made, llvm::Function &entry, const core::Context &context,
                const std::map<unsigned, BoundArgument> &arguments);

/// See fold().
Result<void> fold_all(Specialized &made, const Symbols &symbols, const core::Context &context);

/// Once nothing is folded any more.
void finish(Specialized &made, llvm::Function &entry, const core::Context &context);

} // namespace sartor::compiler

#endif
