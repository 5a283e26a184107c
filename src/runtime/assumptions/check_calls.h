// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_CHECK_CALLS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_CHECK_CALLS_H

namespace sartor::runtime {

/// From now on, if it is asked for (base/after_calls.h), what facts and promises that hold are
/// about is compared, after each call of a handler, with what was folded. Thread-safe.
void begin_checking_calls();

} // namespace sartor::runtime

#endif
