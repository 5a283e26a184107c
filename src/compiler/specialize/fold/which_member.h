// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_WHICH_MEMBER_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_WHICH_MEMBER_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// Identifies which of some functions a pointer points to, as a number for a switch:
///
///     %i = call i32 @sartor.which.member(ptr %f, i32 4, ptr @add, ptr @jump)
///
/// The result is 0 or 1 here, and 2 for any other function. The call is at the head of a web of
/// tail calls while that is followed (tail_web.h), where a chain of comparisons would be copied
/// each time.

/// `web` distinguishes the questions of one web, and of its copies, from those of another.
llvm::CallInst *ask_which_member(llvm::IRBuilderBase &builder, llvm::Value &function, unsigned web,
                                 llvm::ArrayRef<llvm::Function *> members);

/// Returns the question, or null.
llvm::CallInst *as_which_member(llvm::Value &value);

/// Returns the pointer that the question is about.
llvm::Value &asked_of(const llvm::CallInst &question);
unsigned web_of(const llvm::CallInst &question);
/// Returns the answer for that function.
llvm::ConstantInt *answer_for(const llvm::CallInst &question, const llvm::Constant &function);
/// Returns the destination of a branch on the answer for a function that is none of the members;
/// null if the branch depends on another value. For one member, LLVM turns the switch into a
/// comparison.
llvm::BasicBlock *way_of_others(const llvm::Instruction &branch);

} // namespace sartor::compiler

#endif
