// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_SIGNAL_CONTEXT_H
#define SARTOR_BASE_SIGNAL_CONTEXT_H

namespace sartor::base {

/// True if the calling thread is in a signal handler, which may have interrupted the owner of a
/// lock, including the allocator's. False in handlers of signals that block none while they are
/// handled (SA_NODEFER). Costs a system call, and a walk through the stack if the thread blocks
/// signals.
bool is_in_signal_handler();

} // namespace sartor::base

#endif
