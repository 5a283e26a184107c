// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_MAPPINGS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_MAPPINGS_H

#include "base/result.h"
#include "core/request/invariant_memory.h"

namespace sartor::runtime {

/// The kind of mapping of some of the program's memory.
struct Mapping {
  int rights = 0;          ///< As arguments of mmap().
  bool is_of_file = false; ///< Some of the memory is a private mapping of a file.
};

/// Looks up the mapping of some memory. Fails with bad_invariant if the memory is not writable, has
/// different rights in different parts, or is a stack.
Result<Mapping> mapping_of(core::Extent memory);

} // namespace sartor::runtime

#endif
