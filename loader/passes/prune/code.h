// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_CODE_H
#define SARTOR_LOADER_PASSES_PRUNE_CODE_H

#include <cstdint>
#include <string>
#include <vector>

#include "prune/library.h"

namespace sartor::prune {

/// The addresses that a function refers to.
struct Uses {
  std::vector<std::uint64_t> branches; ///< Targets of jumps and calls out of the function.
  std::vector<std::uint64_t> operands; ///< Addresses that its instructions compute or access.
  bool runs_on = false;                ///< Execution may continue after its end.
};

/// The result of decoding a library's functions.
struct Code {
  std::vector<Uses> functions; ///< Same order as the library's functions.
  std::string doubt; ///< The reason why the result may be incomplete; empty if it is complete.
};

Code decode(const Library &library);

/// All possible references from bytes outside of functions, which may be code without unwind
/// information, tables or padding: every target that the bytes have if they are code or addresses.
struct GapUses {
  std::vector<std::uint64_t> targets;
  std::string doubt; ///< The reason why the targets are incomplete; empty if they are complete.
};

GapUses look_between(const Library &library);

} // namespace sartor::prune

#endif
