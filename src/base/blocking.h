// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_BLOCKING_H
#define SARTOR_BASE_BLOCKING_H

namespace sartor::base {

/// Between the beginning of a grace period and looking for readers that are not blocked: those that
/// are find out when they go on. Thread-safe.
void note_break();

} // namespace sartor::base

#endif
