// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What specialize() and Stages do one after the other.
#ifndef SARTOR_SPECIALIZE_STEPS_H
#define SARTOR_SPECIALIZE_STEPS_H

#include <map>
#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "specialize/specialize.h"

namespace sartor::specialize {

/// The function of a handler that has a body. Fails with unknown_handler, point_not_specializable.
Result<llvm::Function *> find_original(llvm::Module &prepared, const std::string &handler);

/// Fails with compile_failed where a module has in it what no code can be made of.
Result<void> check_lowering(const llvm::Module &module, const std::string &handler);

/// The invariant memory that a context can reach. Fails with unreadable_memory.
const Result<Reached> &reached_by(const Context &context);

/// See bind_arguments(). `context` decides the points.
void bind_known(Specialized &made, llvm::Function &entry, const Context &context,
                const std::map<unsigned, BoundArgument> &arguments);

/// See fold().
Result<void> fold_all(Specialized &made, const Symbols &symbols, const Context &context);

/// Once nothing is folded any more.
void finish(Specialized &made, llvm::Function &entry, const Context &context);

} // namespace sartor::specialize

#endif
