// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_ONE_OF_H
#define SARTOR_COMPILER_SPECIALIZE_ONE_OF_H

#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <sartor/remark.hpp>

#include "compiler/specialize/evaluate.h"

namespace sartor::compiler {

/// A sartor_one_of() whose value is not known is a fork: control goes on in a copy of the code for
/// each value that it may have. To be one, it stands at the end of its block, and all that comes
/// behind takes its value from a phi node with one way in, which is followed as others are ("the
/// trick" of partial evaluation, with a way out for all other values).

/// Gives each sartor_one_of() of a function that is not known anyhow such a phi node.
void make_forks(llvm::Function &function, const Evaluator &evaluator);

/// The mark whose value a phi node is, or null.
llvm::CallInst *fork_of(const llvm::PHINode &phi);
/// The phi node of the mark that a block ends with, or null.
llvm::PHINode *fork_behind(const llvm::BasicBlock &block);

/// The values of a function's expression under the facts that the evaluator has been told, if they
/// are few: as one unknown in it, of 8 bits or so, takes all its values. Else none.
llvm::SmallVector<llvm::Constant *> values_of(llvm::Value &value, Evaluator &evaluator,
                                              const Facts &facts);

/// Whether code for this value was made before at this mark, and is not to be made again.
bool was_tried(const llvm::CallInst &mark, const llvm::Constant &value);

/// The same of any value at any mark of a function.
bool has_forked(llvm::Function &function);

/// Puts a choice in the place of a block's end, which is the branch behind a mark: by the mark's
/// value, to a block for each of some constants, to where it goes on in any other case.
void choose_among(llvm::BasicBlock &block,
                  llvm::ArrayRef<std::pair<llvm::Constant *, llvm::BasicBlock *>> ways);

/// Takes the marks out, after all that could be followed has been: what asks whether such a value
/// is constant and has no answer yet is told that it is not. Says of which marks no value was
/// known.
void forget_one_of(llvm::Module &module, std::vector<Remark> &remarks);

} // namespace sartor::compiler

#endif
