// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLLOW_TRAIL_H
#define SARTOR_COMPILER_SPECIALIZE_FOLLOW_TRAIL_H

#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "compiler/specialize/blocks.h"
#include "compiler/specialize/fold/evaluate.h"

namespace sartor::compiler {

/// Determines what can be followed in a function: the phi nodes whose values steer the loops over
/// invariant memory, and where in the code their values matter. The result is optimistic: it says
/// what may be computed, and the Evaluator decides.
class Trail {
public:
  /// `evaluator` must have entered the function. Phi nodes in `given_up`, which must outlive this,
  /// are not followed.
  Trail(llvm::Function &function, const Evaluator &evaluator,
        const llvm::SmallPtrSetImpl<llvm::PHINode *> &given_up);

  /// Returns the phi nodes to follow: those that the address of an invariant load in their loop
  /// depends on, those that provide their values, and those that decide how the loop continues and
  /// can be computed throughout. Empty if no loop is worth following.
  [[nodiscard]] llvm::ArrayRef<llvm::PHINode *> phis() const { return phis_.getArrayRef(); }

  /// Returns, by index, the followed phi nodes whose values matter in or after the block, within
  /// their loops or at the exits of these. Null if there are none.
  [[nodiscard]] const llvm::SmallBitVector *mattering(const llvm::BasicBlock *block) const {
    const auto found = mattering_.find(block);
    return found == mattering_.end() ? nullptr : &found->second;
  }

  /// Returns, by index, the followed phi nodes that a value is computed from.
  [[nodiscard]] llvm::SmallBitVector roots_of(llvm::Value &value) const;

  /// True if the block runs more than rarely, or control returns from it to such code. Code that
  /// ends behind branches marked unlikely, like side exits, is not followed.
  [[nodiscard]] bool is_hot(const llvm::BasicBlock *block) const { return hot_.contains(block); }

  /// Returns the choices between two known values, by an unknown condition, that followed phi nodes
  /// depend on: once they are branches, each side can be followed.
  [[nodiscard]] std::vector<llvm::Instruction *> forks() const;

  /// Returns innermost loops that read invariant memory at addresses which differ from iteration to
  /// iteration, as far as known.
  [[nodiscard]] std::vector<const llvm::Loop *> loops_over_memory() const;
  /// Returns the reason why such a loop has not been followed, for people.
  [[nodiscard]] std::string why_not(const llvm::Loop &loop) const;
  /// Describes the unknown part of a value, for people.
  [[nodiscard]] std::string unknown_in(llvm::Value &value) const;

private:
  using Values = llvm::SmallPtrSet<const llvm::Value *, 32>;

  [[nodiscard]] bool comes_back(const llvm::BasicBlock &block) const;
  void find_plausible_pointers();
  void find_computable();
  void find_steady();
  void choose();
  void find_where_it_matters();

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(phis_.size()); }
  [[nodiscard]] bool is_plausible(const llvm::Value &pointer) const;
  [[nodiscard]] bool may_compute(llvm::Value &value) const;
  [[nodiscard]] bool may_compute_from_operands(llvm::Instruction &instruction) const;
  [[nodiscard]] bool may_have_few_values(const llvm::Instruction &instruction) const;
  [[nodiscard]] bool may_keep(llvm::PHINode &phi) const;
  [[nodiscard]] bool is_steady(llvm::Value &value) const;
  [[nodiscard]] bool is_in_scope(const llvm::PHINode *phi, llvm::BasicBlock *block) const;
  [[nodiscard]] bool reads_invariant(const llvm::Instruction &instruction) const;
  [[nodiscard]] llvm::SmallSetVector<llvm::PHINode *, 8> steering(const llvm::Loop &loop) const;
  enum class Through : std::uint8_t { computable, steady, tables };
  void add_feeders(llvm::Value &value, const llvm::BasicBlock &user, Through what);

  llvm::Function &function_;
  const Evaluator &evaluator_;
  const llvm::SmallPtrSetImpl<llvm::PHINode *> &given_up_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  std::vector<llvm::BasicBlock *> order_; // operands come before users, except in loops
  Blocks hot_;
  Values plausible_;
  Values computable_;
  Values steady_;
  llvm::SmallSetVector<llvm::PHINode *, 8> candidates_;
  llvm::SmallPtrSet<const llvm::Loop *, 4> followed_;
  bool has_forks_ = false; ///< See one_of.h.
  llvm::SmallSetVector<llvm::PHINode *, 8> phis_;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallBitVector> mattering_;
  llvm::DenseMap<const llvm::Value *, llvm::SmallBitVector> roots_;
};

} // namespace sartor::compiler

#endif
