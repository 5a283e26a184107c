// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_ORDER_H
#define SARTOR_LOADER_LIB_PASS_PASS_ORDER_H

#include <span>
#include <vector>

#include <sartor/pass.h>

#include "base/result.h"

namespace sartor::loader {

/// The order in which enabled passes run: as they are given, unless their `needs`, `after` and
/// `before` say otherwise. Fails with bad_pass: a circle, a need that is not enabled, two that are
/// in conflict, two of the same name.
Result<std::vector<const sartor_pass *>> ordered(std::span<const sartor_pass *const> passes);

} // namespace sartor::loader

#endif
