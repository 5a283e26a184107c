// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FAULT_SIGNAL_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FAULT_SIGNAL_H

#include "runtime/assumptions/page_table.h"

namespace sartor::runtime {

/// What stops a thread at a write where the kernel has no better way: the handler of SIGSEGV. What
/// is not about our pages goes to the handler that was there before.
class FaultSignal {
public:
  /// Has ours be the handler, above one that the program has installed since. Returns 0 or an
  /// error's number.
  static int install();
  /// The page's state has changed: who waits looks again.
  static void wake(PageEntry &entry);
};

} // namespace sartor::runtime

#endif
