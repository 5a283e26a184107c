// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_WHICH_MEMBER_H
#define SARTOR_COMPILER_SPECIALIZE_WHICH_MEMBER_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// Which of some functions a pointer leads to, as a number for a switch:
///
///     %i = call i32 @sartor.which.member(ptr %f, i32 4, ptr @add, ptr @jump)
///
/// 0 or 1 here, and 2 for any other function. It stands at the head of a web of tail calls while
/// that is followed (tail_web.h), and a chain of comparisons would be copied each time.

/// `web` tells one web's questions from another's, in their copies too.
llvm::CallInst *ask_which_member(llvm::IRBuilderBase &builder, llvm::Value &function, unsigned web,
                                 llvm::ArrayRef<llvm::Function *> members);

/// The question, or null.
llvm::CallInst *as_which_member(llvm::Value &value);

/// The pointer of which it is asked.
llvm::Value &asked_of(const llvm::CallInst &question);
unsigned web_of(const llvm::CallInst &question);
/// The answer for that function.
llvm::ConstantInt *answer_for(const llvm::CallInst &question, const llvm::Constant &function);
/// Where a branch by the answer goes for a function that is none of the members; null if it is a
/// branch by something else. Of a switch over one member LLVM makes a comparison.
llvm::BasicBlock *way_of_others(const llvm::Instruction &branch);

} // namespace sartor::compiler

#endif
