// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_SIGNAL_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_SIGNAL_H

#include "runtime/assumptions/pages/page_table.h"

namespace sartor::runtime {

/// The SIGSEGV handler that stops a thread at a write where the kernel has no better mechanism.
/// Faults outside protected pages go to the handler that was installed before.
class FaultSignal {
public:
  /// Installs the handler, also above one that the program has installed since. Returns 0 or an
  /// error's number.
  static int install();
  /// Called when the page's state has changed: waiting threads check it again.
  static void wake(PageEntry &entry);
};

} // namespace sartor::runtime

#endif
