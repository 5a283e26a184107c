// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_READS_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_READS_H

#include <map>
#include <tuple>

#include <llvm/IR/Function.h>

#include "compiler/specialize/regions.h"

namespace sartor::compiler {

/// Determines whether functions read invariant memory by pointers that they receive. Partly
/// invariant objects are passed to many functions, most of which do not use the invariant part.
class Reads {
public:
  /// `regions` must outlive this.
  explicit Reads(const Regions &regions) : regions_(regions) {}

  /// True if a function, or a callee, may read invariant memory through that parameter, if it has
  /// this address. True also if this cannot be determined.
  bool by(llvm::Function &function, unsigned parameter, std::uintptr_t address);

  /// Must be called before a function is removed.
  void forget(const llvm::Function &function);

private:
  bool look(llvm::Function &function, unsigned parameter, std::uintptr_t address, unsigned depth);
  bool look_at_use(const llvm::Use &use, std::uintptr_t address, unsigned depth,
                   llvm::SmallVectorImpl<std::pair<llvm::Value *, std::uintptr_t>> &work);
  bool look_at_call(const llvm::Use &use, std::uintptr_t address, unsigned depth);

  const Regions &regions_;
  std::map<std::tuple<const llvm::Function *, unsigned, std::uintptr_t>, bool> known_;
};

} // namespace sartor::compiler

#endif
