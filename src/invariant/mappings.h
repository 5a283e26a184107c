// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_MAPPINGS_H
#define SARTOR_INVARIANT_MAPPINGS_H

#include "observe/result.h"
#include "request/promised_memory.h"

namespace sartor::invariant {

/// What the program has mapped some memory of its own as.
struct Mapping {
  int rights = 0;          ///< As mmap() has them.
  bool is_of_file = false; ///< Some of it is a private mapping of a file.
};

/// Fails with bad_invariant if it cannot be written to, has several rights, or is a stack.
Result<Mapping> mapping_of(specialize::Extent memory);

} // namespace sartor::invariant

#endif
