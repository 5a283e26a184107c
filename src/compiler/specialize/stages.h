// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_STAGES_H
#define SARTOR_COMPILER_SPECIALIZE_STAGES_H

#include <list>
#include <map>
#include <set>
#include <string>

#include "compiler/specialize/specialize.h"

namespace sartor::compiler {

/// Code of handlers as far as it was known what they are for, from which code is made for when more
/// is known (Context::stages): its points are decided, some arguments bound, and what that comes to
/// folded and simplified. The latest used are kept.
///
/// Such code leans on promises. It is taken where the request reaches the memory of all of these;
/// where it does not, one of them may have been taken back, and the code is made anew.
class Stages {
public:
  /// As specialize(), from the code of the context's last stage, which is made first where there is
  /// none; from `prepared` where a context has no stages, or must not have: instrumented points,
  /// custom ones, whose generators may say something else by now, and sections that block.
  Result<Specialized> specialize(llvm::Module &prepared, const Space &space, const Symbols &symbols,
                                 const core::Context &context, const std::string &symbol);

private:
  struct Stage {
    std::string key;
    Specialized code;
    /// What of the prepared module it has although nobody refers to it: memory that only later
    /// stages can reach points to it.
    std::set<std::string> pointed_to;
    unsigned instructions = 0;
  };
  using Kept = std::list<Stage>;

  struct Order;
  /// The stage that knows `stages` of them all, or null where the source is to be taken.
  Result<Kept::iterator> stage(const Order &order, std::size_t number);
  Result<Stage> make(const Order &order, std::size_t number);
  void keep_within_budget();

  Kept kept_; ///< Latest used first.
};

} // namespace sartor::compiler

#endif
