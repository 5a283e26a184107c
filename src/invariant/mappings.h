// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_MAPPINGS_H
#define SARTOR_INVARIANT_MAPPINGS_H

#include "observe/result.h"
#include "request/promised_memory.h"

namespace sartor::invariant {

/// The rights that the program has given to some memory of its own, as mmap() has them. Fails with
/// bad_invariant if it cannot be written to, has several rights, or is this thread's stack.
Result<int> rights_of(specialize::Extent memory);

} // namespace sartor::invariant

#endif
