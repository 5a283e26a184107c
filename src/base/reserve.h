// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_RESERVE_H
#define SARTOR_BASE_RESERVE_H

/// Address space that is reserved during normal operation, and released when memory runs out: an
/// orderly failure needs some memory, too. Thread-safe.
namespace sartor::base {

/// Makes sure that there is a reserve; false if there is no room for one.
[[nodiscard]] bool keep_reserve() noexcept;

/// Releases it, before exhausted memory is reported.
void use_reserve() noexcept;

} // namespace sartor::base

#endif
