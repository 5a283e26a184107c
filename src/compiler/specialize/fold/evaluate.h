// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_EVALUATE_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_EVALUATE_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "compiler/specialize/blocks.h"
#include "compiler/specialize/regions.h"

namespace sartor::compiler {

/// Known values at a place in the code: each pair is a followed phi node and the value that it was
/// last assigned.
using PhiValues = llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Constant *>, 2>;

/// Computes values of a function from known phi values and invariant memory, as far as possible. A
/// query returns the most recently computed value, which in SSA form is the value that a use sees.
class Evaluator {
public:
  /// `symbols` contains the addresses of functions with SARTOR_FOLD. All arguments must outlive
  /// this.
  Evaluator(Regions &regions, const std::map<std::string, void *, std::less<>> &symbols,
            const llvm::DataLayout &layout)
      : regions_(regions), symbols_(symbols), layout_(layout) {}

  /// Computes the values of a function that are constant without known phi values, and discards
  /// earlier results. Functions with SARTOR_FOLD are called in blocks that every call of the
  /// handler executes.
  void enter(llvm::Function &function);

  /// Replaces the known phi values for the following queries.
  void assume(const PhiValues &phi_values);
  /// Also assumes that `value` has become `constant`.
  void assume_also(llvm::Value &value, llvm::Constant &constant) { now_[&value] = &constant; }

  /// Permits calls of functions with SARTOR_FOLD in the following queries if every call of the
  /// handler reaches the block with the known phi values. Results of earlier calls are used in any
  /// case.
  void permit_calls(bool are_certain) { may_call_ = are_certain && is_in_entry_; }

  /// Returns the value under the known phi values, or null. Never poison.
  llvm::Constant *evaluate(llvm::Value &value);

  /// Returns the only successor that a terminator can branch to under the known phi values, or
  /// null.
  llvm::BasicBlock *decide(llvm::Instruction &end);

  /// True if a call of a function with SARTOR_FOLD has constant arguments and was not computed.
  [[nodiscard]] bool is_left(const llvm::CallBase &call) const;
  /// Returns the functions with SARTOR_FOLD whose call returned no result.
  [[nodiscard]] const std::set<std::string> &failed() const { return failed_; }

  /// Returns the invariant whose memory determines a load's value under the known phi values;
  /// nothing if the value is unknown or comes from elsewhere.
  std::optional<std::uint64_t> invariant_of(llvm::LoadInst &load);

  /// Returns the value if it is constant without known phi values; or null.
  [[nodiscard]] llvm::Constant *always(llvm::Value &value) const;

  /// True if a call can be computed once its arguments are constant.
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
