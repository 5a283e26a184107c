// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_COPIES_H
#define SARTOR_COMPILER_SPECIALIZE_COPIES_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace sartor::compiler {

/// Several copies of a function's blocks, between which control may pass at any place. While copies
/// are being made and edges redirected, a copy may use values that another copy computed; repair()
/// then restores SSA form by inserting phi nodes where copies meet (M. Braun et al., "Simple and
/// Efficient Construction of Static Single Assignment Form", CC 2013; here with LLVM's SSAUpdater).
class Copies {
public:
  explicit Copies(llvm::Function &function) : function_(function) {}

  /// Copies `blocks`. Edges among them lead to copies, edges out of them to the same destinations
  /// as before; no edge leads into the copy yet. `map` receives original → copy for blocks and
  /// values.
  void clone(llvm::ArrayRef<llvm::BasicBlock *> blocks, const char *suffix,
             llvm::ValueToValueMapTy &map);

  /// Copies one block: its phi nodes have no entries, and phi nodes of its successors have none for
  /// it. Declarations of noalias scopes for accesses in this block must not be in other blocks.
  llvm::BasicBlock *clone_alone(llvm::BasicBlock &block, const char *suffix,
                                llvm::ValueToValueMapTy &map);

  /// Returns the original block, before any copying, that this one is a copy of.
  [[nodiscard]] llvm::BasicBlock *original(llvm::BasicBlock *block) const;

  /// Registers a new block as a copy of the same original as `like`.
  void adopt(llvm::BasicBlock *made, llvm::BasicBlock *like) { originals_[made] = original(like); }

  /// Connects every use to the copies of its value that reach it. Must be called once, at the end.
  void repair();

private:
  void enlist(llvm::Instruction &instruction, llvm::Instruction &copy);

  llvm::Function &function_;
  llvm::DenseMap<llvm::BasicBlock *, llvm::BasicBlock *> originals_;
  llvm::DenseMap<llvm::Instruction *, llvm::Instruction *> roots_;
  llvm::MapVector<llvm::Instruction *, llvm::SmallVector<llvm::Instruction *, 4>> families_;
};

} // namespace sartor::compiler

#endif
