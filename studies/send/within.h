// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_WITHIN_H
#define SEND_WITHIN_H

#include "monitor.h"

namespace sartor::send {

/// While one exists, this thread has the stack for itself.
class WithinMonitor {
public:
  WithinMonitor() { monitor_enter(); }
  ~WithinMonitor() { monitor_leave(); }
  WithinMonitor(const WithinMonitor &) = delete;
  WithinMonitor &operator=(const WithinMonitor &) = delete;
};

} // namespace sartor::send

#endif
