// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_SIGNAL_CONTEXT_H
#define SARTOR_BASE_SIGNAL_CONTEXT_H

namespace sartor::base {

/// Whether the calling thread is in a signal handler, which may have interrupted whoever holds a
/// lock, the allocator's too. False in handlers of signals that block none while they are handled
/// (SA_NODEFER). A system call, and a walk through the stack if the thread blocks signals.
bool is_in_signal_handler();

} // namespace sartor::base

#endif
