// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_READS_H
#define SARTOR_COMPILER_SPECIALIZE_READS_H

#include <map>
#include <tuple>

#include <llvm/IR/Function.h>

#include "compiler/specialize/regions.h"

namespace sartor::compiler {

/// Whether functions read what is invariant by pointers that they are given. Objects of which a
/// part is promised are passed to all kinds of functions, most of which have nothing to do with
/// that part.
class Reads {
public:
  /// `regions` must outlive this.
  explicit Reads(const Regions &regions) : regions_(regions) {}

  /// Whether something invariant may be read in a function, or in what it calls, by way of that
  /// parameter, if it has this address. Where that is not plain, it may.
  bool by(llvm::Function &function, unsigned parameter, std::uintptr_t address);

  /// A function is about to go.
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
