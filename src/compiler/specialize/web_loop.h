// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_WEB_LOOP_H
#define SARTOR_COMPILER_SPECIALIZE_WEB_LOOP_H

#include <string>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Of calls that stay what they are: see stays_out_of_web().
constexpr const char *kOutOfWebAttribute = "sartor-out-of-web";

/// Why a function cannot be one of the operations of a web that `caller` calls; empty if it can.
std::string why_no_member(const llvm::Function &function, const llvm::Function &caller);

/// A web of operations that tail-call each other as a function of its own, of the type that they
/// have; tail_web.h says what it looks like.
class WebLoop {
public:
  /// It begins with `first`, and takes in what is called alike, as far as there is room.
  WebLoop(llvm::Function &first, const llvm::Function &caller, unsigned number);

  [[nodiscard]] llvm::Function *function() const { return loop_; }
  /// Whether there is room for the operation that it begins with.
  [[nodiscard]] bool begins() const { return llvm::is_contained(members_, &first_); }

private:
  [[nodiscard]] llvm::AttributeList passing() const;
  llvm::CallInst *call(llvm::Value *callee, llvm::BasicBlock &block);
  void add(llvm::Function &member);
  void pass_on_by_head(llvm::Function &body);
  void choose(unsigned number);
  void close();

  llvm::Module &module_;
  llvm::Function &first_;
  llvm::Function *loop_;
  llvm::Function *go_on_; ///< Stands for going back to the head, with what is to be there.
  llvm::BasicBlock *entry_;
  llvm::BasicBlock *head_;
  llvm::PHINode *next_; ///< The operation that comes next.
  llvm::SmallVector<llvm::Function *> members_;
  llvm::SmallVector<llvm::BasicBlock *> blocks_;
  /// Where calls only happen to be tail calls, as in a chain of filters, functions may as well be
  /// inlined.
  bool must_;
  unsigned size_ = 0;
};

} // namespace sartor::compiler

#endif
