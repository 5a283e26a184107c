// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_KEEP_LOADS_H
#define SARTOR_COMPILER_SPECIALIZE_KEEP_LOADS_H

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// What volatile and relaxed atomic loads of the source bear, a kind of metadata: the promise that
/// their memory does not change goes before. Two that are merged may lose it, and are not folded
/// then.
constexpr const char *kMayFold = "sartor.may_fold";
/// Before any of them is kept.
void mark_volatile_loads(llvm::Module &module);
/// Takes this mark, and kColdMark, from all instructions, so that they make no difference to keys.
void erase_load_marks(llvm::Module &module);
/// The names of such marks are listed in each module of a context once one has used them: here they
/// come to be known to a context before its first module, in the same order each time.
void know_load_marks(llvm::LLVMContext &context);

/// What a handler runs while it is blocked, and goes on in when promises have been taken back
/// meanwhile: code that leans on none. It consists of parts of the handler's own function, and of
/// copies of all functions that can be reached from there.
class KeptLoads {
public:
  /// Copies what `handler` can reach, itself among it. Before points are dealt with.
  explicit KeptLoads(llvm::Function &handler);

  /// Whether it is one of the copies: all in it stays generic.
  [[nodiscard]] bool is_copy(const llvm::Function &function) const;

  /// Has blocking sections of the handler, and what of it bears kColdMark, go to the copies, and
  /// keeps all of these from being folded.
  void keep();
  /// Makes what has been kept ordinary loads again.
  void release();

private:
  void keep(llvm::Instruction &instruction);

  llvm::Function &handler_;
  llvm::MapVector<llvm::Function *, llvm::Function *> copies_;
};

} // namespace sartor::compiler

#endif
