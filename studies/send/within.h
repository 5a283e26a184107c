// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_WITHIN_H
#define SEND_WITHIN_H

#include "monitor.h"

namespace sartor::send {

/// Holds the stack's lock for this thread while it exists.
class WithinMonitor {
public:
  WithinMonitor() { monitor_enter(); }
  ~WithinMonitor() { monitor_leave(); }
  WithinMonitor(const WithinMonitor &) = delete;
  WithinMonitor &operator=(const WithinMonitor &) = delete;
};

} // namespace sartor::send

#endif
