// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_ISOLATED_MAPPINGS_H
#define SARTOR_RUNTIME_VERIFY_ISOLATED_MAPPINGS_H

#include "runtime/verify/isolated_area.h"

namespace sartor::runtime {

/// For the child process only: lists the memory whose accesses must be seen.
void read_mappings(IsolatedArea &area);

} // namespace sartor::runtime

#endif
