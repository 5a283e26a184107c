// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_CODE_H
#define SARTOR_LOADER_PASSES_PRUNE_CODE_H

#include <cstdint>
#include <string>
#include <vector>

#include "prune/library.h"

namespace sartor::prune {

/// What a function leads to.
struct Uses {
  std::vector<std::uint64_t> branches; ///< Targets of jumps and calls out of the function.
  std::vector<std::uint64_t> operands; ///< Addresses that its instructions compute or access.
  bool runs_on = false;                ///< Its end may run into what follows it.
};

/// What decoding a library's functions has shown.
struct Code {
  std::vector<Uses> functions; ///< As the library's.
  std::string doubt;           ///< Why this may not be all; empty if it is.
};

Code decode(const Library &library);

/// What is in no function: which may be code that has no unwind information, tables, padding.
/// Wherever its bytes could lead if they were code, or addresses.
struct GapUses {
  std::vector<std::uint64_t> targets;
  std::string doubt; ///< Why these are not all; empty if they are.
};

GapUses look_between(const Library &library);

} // namespace sartor::prune

#endif
