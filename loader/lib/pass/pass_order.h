// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_ORDER_H
#define SARTOR_LOADER_LIB_PASS_PASS_ORDER_H

#include <span>
#include <vector>

#include <sartor/loader/pass.h>

#include "base/result.h"

namespace sartor::loader {

/// Returns the order in which enabled passes run: as given, unless their `needs`, `after` and
/// `before` require another. Fails with bad_pass: a cycle, a need that is not enabled, two passes
/// in conflict, two of the same name.
Result<std::vector<const sartor_pass *>> ordered(std::span<const sartor_pass *const> passes);

} // namespace sartor::loader

#endif
