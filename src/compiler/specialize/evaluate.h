// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_EVALUATE_H
#define SARTOR_COMPILER_SPECIALIZE_EVALUATE_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "compiler/specialize/certain_blocks.h"
#include "compiler/specialize/regions.h"

namespace sartor::compiler {

/// What is known where control is: the values that some phi nodes have last taken.
using Facts = llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Constant *>, 2>;

/// Computes values of a function from facts and invariant memory, as far as that goes. What a value
/// was last computed to be is asked, which for SSA is what a use of it sees.
class Evaluator {
public:
  /// `symbols` tells where functions with SARTOR_FOLD are. All must outlive this.
  Evaluator(Regions &regions, const std::map<std::string, void *, std::less<>> &symbols,
            const llvm::DataLayout &layout)
      : regions_(regions), symbols_(symbols), layout_(layout) {}

  /// Learns what is constant whatever the facts, for all of a function. Forgets what it knew.
  /// Functions with SARTOR_FOLD are called where every call of a handler calls them.
  void enter(llvm::Function &function);

  /// From now on `facts` hold.
  void assume(const Facts &facts);
  /// Besides, that a value has come to be this one.
  void assume_also(llvm::Value &value, llvm::Constant &constant) { now_[&value] = &constant; }

  /// Whether functions with SARTOR_FOLD may be called from now on: where every call of the handler
  /// comes to, with these facts. Results that are known are used anyway.
  void permit_calls(bool are_certain) { may_call_ = are_certain && is_in_entry_; }

  /// The value under the facts, or null. Never poison.
  llvm::Constant *evaluate(llvm::Value &value);

  /// The only successor that a terminator can lead to under the facts, or null.
  llvm::BasicBlock *decide(llvm::Instruction &end);

  /// Whether a call of a function with SARTOR_FOLD has constant arguments and is left.
  [[nodiscard]] bool is_left(const llvm::CallBase &call) const;
  /// Functions with SARTOR_FOLD that were called and gave no result.
  [[nodiscard]] const std::set<std::string> &failed() const { return failed_; }

  /// The promise whose memory gives a load its value under the facts; nothing where it has none, or
  /// has it from elsewhere.
  std::optional<std::uint64_t> promise_of(llvm::LoadInst &load);

  /// The value if it is constant whatever the facts.
  [[nodiscard]] llvm::Constant *always(llvm::Value &value) const;

  /// Whether a call could be computed if its arguments were constant.
  static bool can_compute(const llvm::CallBase &call);

  [[nodiscard]] const Regions &regions() const { return regions_; }

private:
  using Call = std::pair<const llvm::Function *, std::vector<llvm::Constant *>>;

  void evaluate_all(llvm::Function &function, const CertainBlocks &certain);
  llvm::Constant *compute(llvm::Instruction &instruction);
  llvm::Constant *compare_addresses(const llvm::Instruction &instruction,
                                    llvm::ArrayRef<llvm::Constant *> operands);
  llvm::Constant *compute_select(llvm::SelectInst &select);
  llvm::Constant *compute_load(llvm::LoadInst &load);
  llvm::Constant *compute_call(llvm::CallBase &call, llvm::ArrayRef<llvm::Constant *> arguments);
  llvm::Constant *call_at_native_address(llvm::Function &function,
                                         llvm::ArrayRef<llvm::Constant *> arguments);

  Regions &regions_;
  const std::map<std::string, void *, std::less<>> &symbols_;
  const llvm::DataLayout &layout_;
  llvm::DenseMap<llvm::Value *, llvm::Constant *> always_;
  llvm::DenseMap<llvm::Value *, llvm::Constant *> now_;
  std::map<Call, llvm::Constant *> called_;
  std::set<std::string> failed_;
  bool is_in_entry_ = false;
  bool may_call_ = false;
  unsigned depth_ = 0;
};

} // namespace sartor::compiler

#endif
