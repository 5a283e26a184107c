// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLLOW_WEB_LOOP_H
#define SARTOR_COMPILER_SPECIALIZE_FOLLOW_WEB_LOOP_H

#include <string>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Attribute of calls that are not inlined: see stays_out_of_web().
constexpr const char *kOutOfWebAttribute = "sartor-out-of-web";

/// Returns the reason why a function cannot be an operation of a web that `caller` calls; empty if
/// it can.
std::string why_no_member(const llvm::Function &function, const llvm::Function &caller);

/// A web of operations that tail-call each other as a separate function of their type; tail_web.h
/// shows its form.
class WebLoop {
public:
  /// The web begins with `first`, and includes the operations with the same calling convention and
  /// type, up to the size limit.
  WebLoop(llvm::Function &first, const llvm::Function &caller, unsigned number);

  [[nodiscard]] llvm::Function *function() const { return loop_; }
  /// True if the operation that the web begins with is within the size limit.
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
  llvm::Function *go_on_; ///< Placeholder for a branch to the head, with the values to be passed.
  llvm::BasicBlock *entry_;
  llvm::BasicBlock *head_;
  llvm::PHINode *next_; ///< The operation that comes next.
  llvm::SmallVector<llvm::Function *> members_;
  llvm::SmallVector<llvm::BasicBlock *> blocks_;
  /// True for mandatory tail calls. Where calls only happen to be tail calls, as in a chain of
  /// filters, functions may also be inlined.
  bool must_;
  unsigned size_ = 0;
};

} // namespace sartor::compiler

#endif
