// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_MAPPINGS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_MAPPINGS_H

#include "base/result.h"
#include "core/request/promised_memory.h"

namespace sartor::runtime {

/// What the program has mapped some memory of its own as.
struct Mapping {
  int rights = 0;          ///< As mmap() has them.
  bool is_of_file = false; ///< Some of it is a private mapping of a file.
};

/// Fails with bad_invariant if it cannot be written to, has several rights, or is a stack.
Result<Mapping> mapping_of(core::Extent memory);

} // namespace sartor::runtime

#endif
