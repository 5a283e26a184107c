// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_CHECK_CALLS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_CHECK_CALLS_H

namespace sartor::runtime {

/// If the user asked for it (base/after_calls.h), compares after each call of a handler, from now
/// on, the memory of all valid invariants and quasi-invariants with the content that code was made
/// from. Thread-safe.
void begin_checking_calls();

} // namespace sartor::runtime

#endif
