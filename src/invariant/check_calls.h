// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_CHECK_CALLS_H
#define SARTOR_INVARIANT_CHECK_CALLS_H

namespace sartor::invariant {

/// From now on, if it is asked for (engine/after_calls.h), what facts and promises that hold are
/// about is compared, after each call of a handler, with what was folded. Thread-safe.
void begin_checking_calls();

} // namespace sartor::invariant

#endif
