// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_RESERVE_H
#define SARTOR_BASE_RESERVE_H

/// Address space that is kept while all is well, and given up when memory runs out: to fail in good
/// order takes some, too. Thread-safe.
namespace sartor::base {

/// Sees to it that there is a reserve; false if there is no room for one.
[[nodiscard]] bool keep_reserve() noexcept;

/// Gives it up, for whoever is about to say that memory has run out.
void use_reserve() noexcept;

} // namespace sartor::base

#endif
