// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_FOLD_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_FOLD_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>

#include "base/result.h"
#include "core/request/invariant_memory.h"

namespace sartor::compiler {

/// Folds invariant memory and bound structures into `module`, all points of which have been
/// decided: loads from them become constants, loops over them are followed, and functions that
/// receive pointers into it are inlined, until nothing changes or a size limit is reached. Returns
/// the invariants that the code depends on. Fails with bad_invariant if the code stores to
/// invariant memory. Adds to `remarks` what was not folded because of a limit, and to `fold_report`
/// what was folded.
///
/// `reached` is the content that was read of `memory`, which is null if there is none; `symbols`
/// are the addresses of names.
Result<std::set<std::uint64_t>> fold(llvm::Module &module, const core::Reached &reached,
                                     core::InvariantMemory *memory,
                                     const std::map<std::string, void *, std::less<>> &symbols,
                                     std::vector<Remark> &remarks, FoldReport &fold_report);

/// Folds handlers alone, before later stages add knowledge: functions that are not called, or are
/// far away, are kept for these, and no function is called at compile time. Adds the invariants
/// that the code depends on to `invariants`.
void fold_handlers(llvm::Module &module, const core::Reached &reached,
                   core::InvariantMemory &memory,
                   const std::map<std::string, void *, std::less<>> &symbols,
                   std::vector<std::uint64_t> &invariants, std::vector<Remark> &remarks,
                   FoldReport &fold_report);

} // namespace sartor::compiler

#endif
