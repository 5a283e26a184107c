// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_DECLARED_H
#define SARTOR_RUNTIME_ASSUMPTIONS_DECLARED_H

#include <memory>
#include <string_view>

#include <sartor/declared.h>
#include <sartor/quasi_invariant.hpp>

#include "base/result.h"

namespace sartor::runtime {

/// Promises and facts about variables that were declared aside from the source.
class Declared;

/// Rows of a program or library, which stays loaded from then on. Thread-safe.
void add_declared(const sartor_declared *begin, const sartor_declared *end);

/// All that is declared holds, or comes to hold, while somebody has this. Thread-safe.
std::shared_ptr<const Declared> hold_declared();

/// A fact among them, which is held as well. Fails with bad_invariant.
Result<std::shared_ptr<const QuasiInvariant>> find_declared(std::string_view name);

} // namespace sartor::runtime

#endif
