// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <sartor/folded.hpp>
#include <sartor/remark.hpp>

#include "base/result.h"
#include "core/request/promised_memory.h"

namespace sartor::compiler {

/// Folds invariant memory into `module`, all points of which have been dealt with: loads from it
/// become constants, loops over it are followed, functions that are given pointers into it are
/// inlined, until nothing changes or the code has grown as far as it may. Gives the promises that
/// the code relies on now. Fails with bad_invariant if the code stores to invariant memory. What
/// was given up because the code would have grown too much is added to `remarks`; what has folded
/// to `folded`.
///
/// `reached` is what was read of `memory`; `symbols` are the addresses of names.
Result<std::set<std::uint64_t>> fold(llvm::Module &module, const core::Reached &reached,
                                     core::PromisedMemory &memory,
                                     const std::map<std::string, void *, std::less<>> &symbols,
                                     std::vector<Remark> &remarks, Folded &folded);

/// The same of handlers alone, while more is to be known of them later: what nobody calls now, or
/// what is far away, stays for then, and nothing is called. `promises`: those that the code relies
/// on are added to.
void fold_handlers(llvm::Module &module, const core::Reached &reached, core::PromisedMemory &memory,
                   const std::map<std::string, void *, std::less<>> &symbols,
                   std::vector<std::uint64_t> &promises, std::vector<Remark> &remarks,
                   Folded &folded);

} // namespace sartor::compiler

#endif
