// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_STAGES_H
#define SARTOR_COMPILER_SPECIALIZE_STAGES_H

#include <list>
#include <map>
#include <set>
#include <string>

#include "compiler/specialize/specialize.h"

namespace sartor::compiler {

/// Code of handlers specialized for a part of what is known, from which code is generated when more
/// is known (Context::stages): its points are decided, some arguments bound, and the results folded
/// and simplified. The most recently used stages are kept.
///
/// Such code depends on invariants. It is used if the request reaches the memory of all of these;
/// otherwise one of them may have been revoked, and the code is generated anew.
class Stages {
public:
  /// As specialize(), from the code of the context's last stage, which is generated first if
  /// missing. Uses `prepared` if a context has no stages, or must not use them: because of
  /// instrumented points, of custom points, whose generators may build different code later, and of
  /// blocking sections.
  Result<Specialized> specialize(llvm::Module &prepared, const Space &space, const Symbols &symbols,
                                 const core::Context &context, const std::string &symbol);

private:
  struct Stage {
    std::string key;
    Specialized code;
    /// Functions of the prepared module that the stage keeps without references to them: memory
    /// that only later stages can reach points to them.
    std::set<std::string> pointed_to;
    unsigned instructions = 0;
  };
  using Kept = std::list<Stage>;

  struct Order;
  /// Returns the stage of index `number` in the context's stages; makes it if it is missing or
  /// cannot be used.
  Result<Kept::iterator> stage(const Order &order, std::size_t number);
  Result<Stage> make(const Order &order, std::size_t number);
  void keep_within_budget();

  Kept kept_; ///< Most recently used first.
};

} // namespace sartor::compiler

#endif
