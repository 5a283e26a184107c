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

#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>
#include <sartor/space.hpp>

#include "base/result.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// The addresses of names in the program.
using Symbols = std::map<std::string, void *, std::less<>>;

/// A specialized handler: IR before optimization.
struct Specialized {
  std::unique_ptr<llvm::Module> module;
  std::vector<std::uint64_t> invariants; ///< The invariants that the code depends on, sorted.
  std::vector<Remark> remarks;           ///< What was requested and had no effect, and why.
  FoldReport report;                     ///< The effects of invariant memory.
  std::set<std::uint64_t> meant;         ///< Invariants that arguments and variables lead to.
  bool is_folded = false;                ///< True if invariant memory was folded into the code.
  bool from_stage = false;               ///< See stages.h.
};

/// Specializes one handler of a prepared module. The handler's function is named `symbol` and keeps
/// its type: bound arguments are passed and ignored. Labels that the handler cannot reach are
/// ignored. `space` and `symbols` are those of the module; `prepared` is not changed. Fails with
/// unknown_handler, point_not_specializable, too_many_bodies, unknown_custom_kind,
/// unreadable_memory, and as build_custom() and fold().
Result<Specialized> specialize(llvm::Module &prepared, const Space &space, const Symbols &symbols,
                               const core::Context &context, const std::string &symbol);

/// Returns the function of a handler in a prepared module, or null. It has no body if the handler
/// is native only.
llvm::Function *find_handler(llvm::Module &prepared, const std::string &handler);

} // namespace sartor::compiler

#endif
