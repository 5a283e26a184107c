// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_FAULT_SIGNAL_H
#define SARTOR_INVARIANT_FAULT_SIGNAL_H

#include <optional>

#include "invariant/fault_descriptor.h"
#include "invariant/page_table.h"

namespace sartor::invariant {

/// What stops a thread at a write where the kernel has no better way: the handler of SIGSEGV. What
/// is not about our pages goes to the handler that was there before.
class FaultSignal {
public:
  /// Has faults be read from somewhere. Returns 0 or an error's number.
  static int open();
  /// Has ours be the handler, above one that the program has installed since. Returns 0 or an
  /// error's number.
  static int install();
  /// Where faults can be read from.
  static int file();
  static std::optional<Fault> next();
  /// In a child: its parent's faults are not told here.
  static void after_fork_in_child();
  /// The page's state has changed: who waits looks again.
  static void wake(PageEntry &entry);
};

} // namespace sartor::invariant

#endif
