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

#include "compiler/specialize/fold/evaluate.h"

namespace sartor::compiler {

/// A sartor_one_of() whose value is not known is a fork: control continues in a copy of the code
/// for each possible value. For this, the mark is placed at the end of its block, and the following
/// code takes its value from a phi node with one entry, which is followed like others ("the trick"
/// of partial evaluation, with a generic path for all other values).

/// Gives such a phi node to each sartor_one_of() of a function whose value is not known in any
/// case.
void make_forks(llvm::Function &function, const Evaluator &evaluator);

/// Returns the mark whose value a phi node has, or null.
llvm::CallInst *fork_of(const llvm::PHINode &phi);
/// Returns the phi node of the mark that a block ends with, or null.
llvm::PHINode *fork_behind(const llvm::BasicBlock &block);

/// Returns the values of an expression under the evaluator's known phi values, if one unknown value
/// in it, of up to 8 bits, determines the expression: one result for each of its values. Otherwise
/// empty.
llvm::SmallVector<llvm::Constant *> values_of(llvm::Value &value, Evaluator &evaluator,
                                              const PhiValues &phi_values);

/// True if code for this value was generated before at this mark, and is not to be generated again.
bool was_tried(const llvm::CallInst &mark, const llvm::Constant &value);

/// True if code was generated for any value at any mark of a function.
bool has_forked(llvm::Function &function);

/// Replaces a block's end, the branch behind a mark, by a switch on the mark's value: to the block
/// of each of some constants, and to the previous destination in all other cases.
void choose_among(llvm::BasicBlock &block,
                  llvm::ArrayRef<std::pair<llvm::Constant *, llvm::BasicBlock *>> ways);

/// Removes the marks after everything has been followed: questions whether such a value is constant
/// that are still open are answered with false. Adds a remark for each mark whose value was never
/// known.
void forget_one_of(llvm::Module &module, std::vector<Remark> &remarks);

} // namespace sartor::compiler

#endif
