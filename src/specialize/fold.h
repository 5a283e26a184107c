// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_FOLD_H
#define SARTOR_SPECIALIZE_FOLD_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "specialize/context.h"

namespace sartor::specialize {

/// Folds invariant memory into `module`, all points of which have been dealt with: loads from
/// `regions` become constants, loops over them are followed, functions that are given pointers into
/// them are inlined, until nothing changes or the code has grown as far as it may. Gives the
/// promises that the code relies on now. Does nothing if there are no regions. What was given up
/// because the code would have grown too much is added to `remarks`.
///
/// `regions` are sorted by address and disjoint; `symbols` are the addresses of names.
std::set<std::uint64_t> fold(llvm::Module &module, const std::vector<Region> &regions,
                             const std::map<std::string, void *, std::less<>> &symbols,
                             std::vector<std::string> &remarks);

} // namespace sartor::specialize

#endif
