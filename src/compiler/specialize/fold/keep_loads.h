// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_KEEP_LOADS_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_KEEP_LOADS_H

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Metadata of volatile and relaxed atomic loads in the source, which may be folded because the
/// invariant takes precedence. If two such loads are merged, the metadata may be lost; they are
/// then not folded.
constexpr const char *kMayFold = "sartor.may_fold";
/// Must be called before KeptLoads::keep().
void mark_volatile_loads(llvm::Module &module);
/// Removes this mark, kSideExitMark and kGuardMark from all instructions, so that they do not
/// affect keys.
void erase_load_marks(llvm::Module &module);
/// Registers the marks' names, and those that LLVM adds when it compiles, with a context before its
/// first module, in a fixed order: each module of a context lists all names once any module has
/// used them, and the keys of stored code must not depend on what was compiled before.
void know_load_marks(llvm::LLVMContext &context);

/// The code that a handler runs while it is blocked, and continues in if invariants have been
/// revoked meanwhile: it depends on none. It consists of parts of the handler's own function, and
/// of copies of all functions that they can reach. Functions that they call by pointers are copied,
/// too, and found only after folding.
class KeptLoads {
public:
  /// Copies all functions that `handler` can reach, including itself. Must be called before points
  /// are decided.
  explicit KeptLoads(llvm::Function &handler);

  /// True if the function is one of the copies, in which everything stays generic.
  [[nodiscard]] bool is_copy(const llvm::Function &function) const;

  /// Redirects calls in blocking sections of the handler, and in instructions with kSideExitMark,
  /// to the copies, and protects all this code from folding.
  void keep();
  /// Turns the protected accesses into ordinary ones again.
  void release();

private:
  void make_copies();
  void name_copies();
  void keep(llvm::Instruction &instruction);
  void hide_callee(llvm::CallBase &call);
  void show_callees();
  llvm::Value *copy_in(llvm::Value &value, llvm::Instruction &before);

  llvm::Function &handler_;
  llvm::MapVector<llvm::Function *, llvm::Function *> copies_;
};

} // namespace sartor::compiler

#endif
