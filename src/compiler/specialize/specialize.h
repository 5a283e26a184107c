// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_SPECIALIZE_H
#define SARTOR_COMPILER_SPECIALIZE_SPECIALIZE_H

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <sartor/folded.hpp>
#include <sartor/remark.hpp>
#include <sartor/space.hpp>

#include "base/result.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// The address of names in the program.
using Symbols = std::map<std::string, void *, std::less<>>;

/// A handler specialized: IR, not optimised yet.
struct Specialized {
  std::unique_ptr<llvm::Module> module;
  std::vector<std::uint64_t> promises; ///< On which the code leans, sorted.
  std::vector<Remark> remarks;         ///< What was asked for and changed nothing, and why.
  Folded story;                        ///< What has become of invariant memory.
  std::set<std::uint64_t> meant;       ///< Promises to which arguments and variables lead.
  bool folded = false;                 ///< Whether invariant memory has become part of it.
  bool from_stage = false;             ///< See stages.h.
};

/// Specializes one handler of a prepared module, in which its function is called `symbol` and keeps
/// its type: bound arguments are passed and ignored. Labels that the handler cannot reach are
/// ignored. `space` and `symbols` are those of the module; `prepared` is left as it is. Fails with
/// unknown_handler, point_not_specializable, too_many_bodies, unknown_custom_kind,
/// unreadable_memory, and what build_custom() and fold() fail with.
Result<Specialized> specialize(llvm::Module &prepared, const Space &space, const Symbols &symbols,
                               const core::Context &context, const std::string &symbol);

/// The function of that handler in a prepared module, or null. Without a body if it is native only.
llvm::Function *find_handler(llvm::Module &prepared, const std::string &handler);

} // namespace sartor::compiler

#endif
