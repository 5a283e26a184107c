// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_DECLARED_H
#define SARTOR_RUNTIME_ASSUMPTIONS_DECLARED_H

#include <memory>
#include <string_view>

#include <sartor/declared.h>
#include <sartor/quasi_invariant.hpp>

#include "base/result.h"

namespace sartor::runtime {

/// The invariants and quasi-invariants about variables that are declared outside the source.
class Declared;

/// Adds the rows of a program or library, which stays loaded from then on. Thread-safe.
void add_declared(const sartor_declared *begin, const sartor_declared *end);

/// Keeps all declared invariants and quasi-invariants in existence while the result exists.
/// Thread-safe.
std::shared_ptr<const Declared> hold_declared();

/// Finds a declared quasi-invariant by name and keeps all of them as hold_declared() does. Fails
/// with bad_invariant.
Result<std::shared_ptr<const QuasiInvariant>> find_declared(std::string_view name);

} // namespace sartor::runtime

#endif
